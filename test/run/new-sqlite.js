/*
 * From Node.js 22.14 on, tests use better-sqlite3 13: version 12 aborts in Jest from Node.js 24.19 on, and 13 crashes
 * where Node-API is older than 10, as on Node.js 20. Jest reads SQLITE; as a preloaded module, this does the same in the
 * processes that tests start.
 */
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDS_NEW_SQLITE = Number(process.versions.napi) >= 10;
const FILE = new URL('../newest-node/node_modules/better-sqlite3/lib/index.js', import.meta.url);

/** @type {string | undefined} */
export const SQLITE = NEEDS_NEW_SQLITE ? fileURLToPath(FILE) : undefined;

if (NEEDS_NEW_SQLITE) {
  // Node.js 22.14 has no such hooks: these processes load better-sqlite3 12 there.
  module.registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier === 'better-sqlite3' ? { url: FILE.href, shortCircuit: true } : next(specifier, context),
  });
}
