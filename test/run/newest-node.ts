import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { ServersByEngine } from '../servers/engines.js';
import { type JestRun, runJest } from './run-jest.js';

/** In the sources, because Jest and `new-sqlite.js` load better-sqlite3 from there. */
const FOLDER = fileURLToPath(new URL('../../newest-node/', import.meta.url));

/** Whether this Node.js needs better-sqlite3 13: see `new-sqlite.js`. */
const NEEDS_NEW_SQLITE = Number(process.versions.napi) >= 10;

/** Prepares tests on the Node.js of this process. */
export async function prepareThisNode(): Promise<void> {
  if (NEEDS_NEW_SQLITE) {
    await install();
  }
}

/** Runs Jest on the newest Node.js. */
export async function runOnNewestNode(args: readonly string[], servers: ServersByEngine): Promise<JestRun> {
  await install();
  const node = join(FOLDER, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  const { stdout } = await promisify(execFile)(node, ['--version']);
  console.log(`\nOn Node.js ${stdout.trim()}, with better-sqlite3 13:`);
  return runJest(args, servers, node);
}

/** Installs what `test/newest-node/package.json` names, unless an earlier run has. */
async function install(): Promise<void> {
  if (existsSync(join(FOLDER, 'node_modules'))) {
    return;
  }
  console.log('installing the newest Node.js …');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await promisify(execFile)('npm', args, { cwd: FOLDER });
}
