import type { DataSourceOptions } from 'typeorm';

/** Where a server listens, as the options of a data source say. */
interface Address {
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly ssl?: { readonly verifyIdentity?: boolean };
}

/**
 * The server that options name.
 *
 * @returns undefined where they name a socket file, several servers, or none, or where the server has to have the name
 *   by which it is connected to: a proxy has another.
 */
export function serverIn(options: DataSourceOptions): URL | undefined {
  const { url, host = 'localhost', port = 3306, ssl } = options as Address;
  if (
    (options.type !== 'mysql' && options.type !== 'mariadb') ||
    'replication' in options ||
    'socketPath' in options ||
    ssl?.verifyIdentity
  ) {
    return undefined;
  }
  return new URL(url ?? `mysql://${host}:${port}`);
}

/** The same options by way of a proxy. */
export function throughProxy(options: DataSourceOptions, proxyUrl: string): DataSourceOptions {
  const { url } = options as Address;
  const { hostname, port } = new URL(proxyUrl);
  if (url === undefined) {
    return { ...options, host: hostname, port: Number(port) } as DataSourceOptions;
  }
  const changed = new URL(url);
  changed.host = `${hostname}:${port}`;
  return { ...options, url: changed.href } as DataSourceOptions;
}
