import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { command, hasJobs, jobAt, transaction } from './command.js';

export const cancel = command('cancel', fc.record({ job: fc.nat(30), transaction }), {
  isPossible: hasJobs,
  async act(model, machine, { job: number, transaction }) {
    const job = jobAt(model, number);
    const answer = await machine.within(transaction, (options) => machine.queue.cancel(job.id, options));
    expect(answer).toBe(model.cancellationOf(job));
    if (transaction !== 'rollback') {
      model.cancel([job]);
    }
    if (transaction === 'commit') {
      await machine.untilCallbacksAreTriggered(model);
    }
  },
});
