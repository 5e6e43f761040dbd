import type { ServerEngine, ServerPurpose, ServerSource } from './server.js';

const VARIABLES: Record<ServerEngine, string> = {
  mariadb: 'TABLEQUEUE_TEST_MARIADB_URL',
  mysql: 'TABLEQUEUE_TEST_MYSQL_URL',
  mysql56: 'TABLEQUEUE_TEST_MYSQL56_URL',
};

/** What nobody has to set a server up for, or to kill one. */
const SHARED = new Set<ServerPurpose>(['tests', 'soak', 'bench']);

/** A server that somebody else runs, named by its URL. */
export const environment: ServerSource = {
  name: 'environment',
  async obtain(engine, _log, purpose) {
    // Nobody runs one that is set up badly, may be killed, or has certificates that are known here.
    const url = SHARED.has(purpose) ? process.env[VARIABLES[engine]] : undefined;
    return url ? { engine, url, origin: VARIABLES[engine], stop: async () => undefined } : undefined;
  },
};
