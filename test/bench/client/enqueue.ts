import type { Subject } from '../subject.js';
import { fill } from './fill.js';
import { measure } from './measure.js';
import { payload, payloads } from './payloads.js';
import type { Metrics, Task } from './task.js';

const IN_FLIGHT = 20;
/** Before anything is counted, in jobs: connections are opened and code is compiled. */
const WARM_UP = 400;

/** Bulk, single calls with 20 of them under way, calls for 20, and single ones one after another. */
export async function enqueue(subject: Subject, { counts, serverProcess }: Task): Promise<Metrics> {
  await subject.reset();
  const bulk = payloads(counts.bulk);
  const warmUp = Math.min(WARM_UP, counts.inFlight);
  await subject.enqueueMany(bulk.slice(0, counts.bulk / 4));
  await inFlight(subject, warmUp, counts.inFlightLongest);
  const first = await measure('bulk', serverProcess, async () => {
    await subject.enqueueMany(bulk);
    return counts.bulk;
  });
  const second = await measure('in flight', serverProcess, () => {
    return inFlight(subject, counts.inFlight, counts.inFlightLongest);
  });
  // What callers in flight could get at best: rows in INSERTs of as many, one after another.
  const byTwenty = await measure('by 20', serverProcess, async () => {
    for (let stored = 0; stored < counts.inFlight; stored += IN_FLIGHT) {
      await subject.enqueueMany(payloads(IN_FLIGHT));
    }
    return counts.inFlight;
  });
  const third = await measure('sequential', serverProcess, async () => {
    for (let number = 0; number < counts.sequential; number++) {
      await subject.enqueue(payload(number));
    }
    return counts.sequential;
  });
  // For the drain, which is measured in a process of its own: its memory is then the worker's.
  await fill(subject, counts.drain);
  return { ...first, ...second, ...byTwenty, ...third };
}

async function inFlight(subject: Subject, jobs: number, longest: number): Promise<number> {
  const until = performance.now() + longest;
  let next = 0;
  const caller = async () => {
    while (next < jobs && performance.now() < until) {
      await subject.enqueue(payload(next++));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return next;
}
