import { test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { waitFor } from '../support/wait-for.js';

const ORPHAN = new URL('../dist/processes/orphan.js', import.meta.url);

test('a process of the tests ends when the one that has started it is killed', async () => {
  const parent = ChildProcess.start(ORPHAN);
  const pid = (await parent.nextMessage()) as number;
  await parent.end('SIGKILL');
  await waitFor('its child has ended', () => !isAlive(pid));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
