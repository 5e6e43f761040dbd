import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { command, transaction } from './command.js';

export const cancelByKey = command('cancelByKey', fc.record({ key: fc.constantFrom('a', 'b'), transaction }), {
  async act(model, machine, { key, transaction }) {
    const counts = await machine.within(transaction, (options) => machine.queue.cancelByKey(key, options));
    const jobs = model.jobs.filter((job) => job.key === key);
    const count = (what: string) => jobs.filter((job) => model.cancellationOf(job) === what).length;
    expect(counts).toEqual({ cancelled: count('cancelled'), requested: count('requested') });
    if (transaction !== 'rollback') {
      model.cancel(jobs);
    }
    if (transaction === 'commit') {
      await machine.untilCallbacksAreTriggered(model);
    }
  },
});
