import type { ServerEngine, ServerPurpose, ServerSource } from './server.js';

/** The URL of a running server to use. */
const URL_VARIABLES: Record<ServerEngine, string> = {
  mariadb: 'TABLEQUEUE_TEST_MARIADB_URL',
  mariadb118: 'TABLEQUEUE_TEST_MARIADB118_URL',
  mysql: 'TABLEQUEUE_TEST_MYSQL_URL',
  mysql56: 'TABLEQUEUE_TEST_MYSQL56_URL',
};

/** The server program to start: `installed`, `debian`, `npm`, `container`, or the path of the program. */
export const PROGRAM_VARIABLES: Record<ServerEngine, string> = {
  mariadb: 'TABLEQUEUE_TEST_MARIADB',
  mariadb118: 'TABLEQUEUE_TEST_MARIADB118',
  mysql: 'TABLEQUEUE_TEST_MYSQL',
  mysql56: 'TABLEQUEUE_TEST_MYSQL56',
};

/** Purposes that need no special settings and do not kill the server. */
const SHARED = new Set<ServerPurpose>(['tests', 'soak', 'bench']);

/** A running server, named by its URL. */
export const environment: ServerSource = {
  name: 'environment',
  async obtain(engine, _log, purpose) {
    const url = SHARED.has(purpose) ? process.env[URL_VARIABLES[engine]] : undefined;
    return url ? { engine, url, origin: URL_VARIABLES[engine], stop: async () => undefined } : undefined;
  },
};

/** Names the variables that choose another server, for the report. */
export function howToChoose(engine: ServerEngine): string {
  return `${URL_VARIABLES[engine]} or ${PROGRAM_VARIABLES[engine]} choose another`;
}
