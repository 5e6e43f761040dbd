import type { Server, ServerEngine } from './server.js';
import { serverVersion } from './wait-until-ready.js';

/** The releases that the tests of an engine support, as a server names them, and as the report does. */
export const RELEASES: Record<ServerEngine, { readonly pattern: RegExp; readonly name: string }> = {
  mariadb: { pattern: /^(10\.11|11|12)\..*MariaDB/, name: 'MariaDB 10.11, 11 and 12' },
  mariadb118: { pattern: /^11\.8\..*MariaDB/, name: 'MariaDB 11.8' },
  mysql: { pattern: /^(8\.4|9)\.(?!.*MariaDB)/, name: 'MySQL 8.4 and 9' },
  mysql56: { pattern: /^5\.6\.(?!.*MariaDB)/, name: 'MySQL 5.6' },
};

/**
 * Checks the version of a server that a source has started: a package or an image can have moved on.
 *
 * @throws Error for another release. The server is stopped then.
 */
export async function assertRelease(server: Server): Promise<void> {
  const { pattern, name } = RELEASES[server.engine];
  const version = await serverVersion(server.url);
  if (!pattern.test(version)) {
    await server.stop();
    throw new Error(`${server.origin} has ${version}, but the tests of "${server.engine}" need ${name}.`);
  }
}
