/* A process whose child has nothing to do and does not end on its own. Reports the child's id to its parent. */
import { ChildProcess } from '../support/child-process.js';

if (process.env.ROLE === 'child') {
  process.send?.(process.pid);
  setInterval(() => undefined, 60_000);
} else {
  const child = ChildProcess.start(new URL(import.meta.url), { ROLE: 'child' });
  child.onMessage((pid) => process.send?.(pid));
}
