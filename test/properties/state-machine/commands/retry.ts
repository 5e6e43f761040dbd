import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { command, hasJobs, jobAt, transaction } from './command.js';

export const retry = command('retry', fc.record({ job: fc.nat(30), transaction }), {
  isPossible: hasJobs,
  async act(model, machine, { job: number, transaction }) {
    const job = jobAt(model, number);
    const isRetried = model.canRetry(job);
    expect(await machine.within(transaction, (options) => machine.queue.failed.retry(job.id, options))).toBe(isRetried);
    if (isRetried && transaction !== 'rollback') {
      model.retry(job);
    }
  },
});
