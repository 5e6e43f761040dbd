import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The project with `ioredis`, and with all releases of Bull. */
export const PEERS = fileURLToPath(new URL('peers', import.meta.url));

const NODE_MODULES = join(PEERS, 'node_modules');
const FILES = ['package.json', 'package-lock.json', '.npmrc'];

/** Installs what the lockfile names, unless that is done. Several test files may do so at the same time. */
export async function installPeers(): Promise<void> {
  if (isInstalled()) {
    return;
  }
  const work = await mkdtemp(join(PEERS, '.installing-'));
  try {
    await Promise.all(FILES.map((name) => cp(join(PEERS, name), join(work, name))));
    await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: work });
    if (!isInstalled()) {
      await rename(NODE_MODULES, join(work, 'outdated')).catch(() => undefined);
      await rename(join(work, 'node_modules'), NODE_MODULES).catch((error: unknown) => {
        // Another test file was faster.
        if (!isInstalled()) {
          throw error;
        }
      });
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** npm writes this file last. */
function isInstalled(): boolean {
  const installed = join(NODE_MODULES, '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs > statSync(join(PEERS, 'package-lock.json')).mtimeMs;
}
