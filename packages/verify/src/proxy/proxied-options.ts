import type { DataSourceOptions } from 'typeorm';

/** The address of a server in the options of a data source. */
interface Address {
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly ssl?: { readonly verifyIdentity?: boolean };
}

/**
 * Returns the URL of the server in the options. Returns undefined if no proxy can be placed before
 * the server. This is the case for a socket file, for several servers, and if the certificate must match the host name.
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
