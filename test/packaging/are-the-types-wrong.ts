import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from './published-packages.js';

const ATTW = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');

/**
 * What "Are the types wrong?" finds in a tarball; empty where all is well. It resolves each path as ES modules,
 * CommonJS, bundlers and TypeScript's oldest mode do. The ignored rule is about versions of Node that cannot `require`
 * ES modules.
 */
export async function typesThatAreWrong(tarball: string): Promise<string> {
  const args = [
    ATTW,
    tarball,
    '--profile',
    'strict',
    '--ignore-rules',
    'cjs-resolves-to-esm',
    '--no-color',
    '--no-emoji',
  ];
  return promisify(execFile)(process.execPath, args)
    .then(() => '')
    .catch((error: { stdout: string }) => error.stdout);
}
