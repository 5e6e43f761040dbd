import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { command } from './command.js';

/** All jobs of the queue. */
export const cancelMany = command('cancelMany', fc.constant({}), {
  async act(model, machine) {
    const counts = await machine.queue.cancelMany({ queue: machineJob.queue });
    const count = (what: string) => model.jobs.filter((job) => model.cancellationOf(job) === what).length;
    expect(counts).toEqual({ cancelled: count('cancelled'), requested: count('requested') });
    model.cancel(model.jobs);
  },
});
