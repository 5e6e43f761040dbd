import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import type { End } from '../model-job.js';
import { endIfOver } from './begin.js';
import { command } from './command.js';

const ends: End[] = ['succeed', 'succeed', 'fail', 'fail', 'fail for good', 'fail for good', 'snooze'];
const end = fc.constantFrom(...ends);

/** The handler of a worker's job ends, at once or when its signal is aborted; the next job runs. */
export const finish = command('finish', fc.record({ worker: fc.nat(1), end, waits: fc.boolean() }), {
  isPossible: ({ workers }) => workers.some((worker) => worker !== undefined),
  async act(model, machine, { worker: wanted, end, waits }) {
    const number = model.workers[wanted] ? wanted : 1 - wanted;
    const worker = model.workers[number]!;
    // One that others have taken over may have ended there: no cancellation is reported then.
    const isToBeAborted = model.requests.has(worker.held!.job) && model.isOwn(worker);
    const { isAborted, next } = await machine.workers[number]!.finish(end, waits && isToBeAborted);
    await machine.readTimes(model);
    expect(model.finish(worker, end, isAborted)?.id).toBe(next);
    endIfOver(model, machine, number);
  },
});
