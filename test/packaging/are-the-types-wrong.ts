import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from './published-packages.js';

const ATTW = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');

/** What "Are the types wrong?" finds in a tarball, for importers of ES modules; empty where all is well. */
export async function typesThatAreWrong(tarball: string): Promise<string> {
  const args = [ATTW, tarball, '--profile', 'esm-only', '--no-color', '--no-emoji'];
  return promisify(execFile)(process.execPath, args)
    .then(() => '')
    .catch((error: { stdout: string }) => error.stdout);
}
