import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { untilAtRest } from '../until-at-rest.js';
import { connectToEmpty, numberJob, storeNumbers } from './queue-database.js';
import { isClaim, onTransaction } from './statement-times.js';
import { workOff } from './work-off.js';

const CONCURRENCY = 200;

/**
 * A snapshot is held open, as a backup does, while a worker drains a queue: nothing that is deleted can be purged. How
 * long the last tenth of the claims takes, against the second: during the first the process compiles its code.
 */
export async function heldSnapshot(task: Task): Promise<Metrics> {
  const { dataSource, queue } = await connectToEmpty(task);
  const jobs = task.counts.snapshot;
  await storeNumbers(queue, jobs);
  await untilAtRest([task.serverProcess]);
  const backup = dataSource.createQueryRunner();
  await backup.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
  await backup.query('SELECT COUNT(*) FROM tq_job');

  const claims: number[] = [];
  onTransaction((transaction) => {
    if (isClaim(transaction)) {
      claims.push(transaction.duration);
    }
  });
  const worker = await workOff(queue, jobs, CONCURRENCY);
  const drained = [...claims];
  // The queue is empty now, and everything in it dead: what a single job has to wait for.
  const latencies: number[] = [];
  for (let number = 0; number < 50; number++) {
    const since = performance.now();
    const started = new Promise<void>((resolve) => worker.events.once('started', () => resolve()));
    await queue.enqueue(numberJob, number);
    await started;
    latencies.push(performance.now() - since);
  }
  await worker.stop();
  await backup.query('ROLLBACK');
  await backup.release();
  await dataSource.destroy();

  const tenth = Math.ceil(drained.length / 10);
  const first = median(drained.slice(tenth, 2 * tenth));
  const last = median(drained.slice(-tenth));
  return {
    'held snapshot, first claims ms': first,
    'held snapshot, last claims ms': last,
    'held snapshot, last to first': last / first,
    'held snapshot, latency p50 ms': median(latencies),
  };
}
