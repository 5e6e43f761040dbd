import type { Subject } from '../subject.js';
import { costOf } from '../process-cost.js';
import { measure } from './measure.js';
import type { Metrics, Task } from './task.js';

/** From the start of a worker until the last job is done. */
export async function drain(subject: Subject, { counts, serverProcess }: Task): Promise<Metrics> {
  const memory: number[] = [];
  let finished = 0;
  let started = 0;
  const everyTenth = Math.ceil(counts.drain / 10);
  let stop: (() => Promise<void>) | undefined;
  const metrics = await measure('drain', serverProcess, async () => {
    await new Promise<void>((resolve, reject) => {
      subject
        .work({
          started: () => void started++,
          finished: () => {
            if (++finished % everyTenth === 0) {
              memory.push(process.memoryUsage.rss());
            }
            if (finished === counts.drain) {
              resolve();
            }
          },
        })
        .then((stopWorker) => (stop = stopWorker))
        .catch(reject);
    });
    return counts.drain;
  });
  const server = costOf(serverProcess);
  await stop?.();
  if (started !== counts.drain) {
    throw new Error(`${counts.drain} jobs were stored and ${started} handled.`);
  }
  return {
    ...metrics,
    'drain client MB': process.resourceUsage().maxRSS / 1024,
    'drain server MB': (server?.memory ?? NaN) / 1024 / 1024,
    // The second half against the first, without the warm-up.
    'drain memory growth': Math.max(...memory.slice(5)) / Math.max(...memory.slice(1, 5)),
  };
}
