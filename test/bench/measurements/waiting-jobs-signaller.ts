/* The process of `waiting-jobs.ts` that only sends signals: it gets the id of a job, and reports when it called. */
import type { Task } from '../client/task.js';
import { connect } from './queue-database.js';
import { AWAITED, now } from './waiting-jobs.js';

const { queue } = await connect(JSON.parse(process.env.TASK ?? '') as Task);
process.on('message', (id: string) => {
  const since = now();
  void queue.signal(id, AWAITED).then(() => process.send?.(since));
});
process.send?.('started');
process.once('SIGTERM', () => process.exit());
