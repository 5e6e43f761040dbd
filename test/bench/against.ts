import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { QUEUE_TASKS, type SubjectPlan } from './subject-plan.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What the names of such subjects begin with. */
export const COMMIT = 'commit';

/** Tablequeue of another commit, built in a folder that the next run finds again. */
export async function against(commit: string, log: (message: string) => void): Promise<SubjectPlan[]> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: ROOT });
  const hash = stdout.trim().slice(0, 8);
  const folder = join(tmpdir(), `tablequeue-${hash}`);
  if (!existsSync(folder)) {
    log(`building ${hash} …`);
    await build(hash, folder);
  }
  return (['mariadb', 'mysql'] as const).map((ground) => ({
    name: `${COMMIT} ${hash}, ${ground === 'mariadb' ? 'MariaDB' : 'MySQL'}`,
    module: join(folder, 'test/dist/bench/subjects/tablequeue.js'),
    ground,
    node: 'machine',
    share: 1,
    tasks: QUEUE_TASKS,
    quick: true,
  }));
}

/** A build that was interrupted must not look like one that is ready. */
async function build(hash: string, folder: string): Promise<void> {
  const unready = `${folder}-${process.pid}`;
  const options = {
    cwd: unready,
    env: { ...process.env, NX_DAEMON: 'false', NX_CACHE_DIRECTORY: join(unready, 'node_modules/.nx') },
    maxBuffer: 64 * 1024 * 1024,
  };
  try {
    await run('git', ['clone', '--quiet', '--no-checkout', ROOT, unready]);
    await run('git', ['checkout', '--quiet', hash], options);
    await run('npm', ['ci'], options);
    await run('npx', ['nx', 'build', '@tablequeue/test'], options);
    await rename(unready, folder);
  } finally {
    await rm(unready, { recursive: true, force: true });
  }
}
