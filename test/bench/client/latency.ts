import type { Subject } from '../subject.js';
import { percentile } from '../statistics.js';
import { payload } from './payloads.js';
import type { Metrics, Task } from './task.js';

/** The first jobs are not counted. */
const WARM_UP = 100;
/** A queue that only polls would take minutes. */
const LONGEST = 15_000;

/** From the call of enqueue to the start of the handler in the same process, one job after another. */
export async function latency(subject: Subject, { counts }: Task): Promise<Metrics> {
  await subject.reset();
  let onStarted: () => void = () => undefined;
  const stop = await subject.work({ started: () => onStarted(), finished: () => undefined });
  const latencies: number[] = [];
  const begin = performance.now();
  for (let number = 0; number < counts.latency + WARM_UP && performance.now() - begin < LONGEST; number++) {
    const since = performance.now();
    const started = new Promise<void>((resolve) => (onStarted = resolve));
    await subject.enqueue(payload(number));
    await started;
    if (number >= WARM_UP) {
      latencies.push(performance.now() - since);
    }
  }
  await stop();
  return { 'latency p50 ms': percentile(latencies, 0.5), 'latency p99 ms': percentile(latencies, 0.99) };
}
