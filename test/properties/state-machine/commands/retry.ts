import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { command, hasJobs, jobAt, transaction } from './command.js';

export const retry = command('retry', fc.record({ job: fc.nat(30), transaction }), {
  isPossible: hasJobs,
  async act(model, machine, { job: number, transaction }) {
    const job = jobAt(model, number);
    const isRetried = model.canRetry(job);
    const call = machine.within(transaction, (options) => machine.queue.failed.retry(job.id, options));
    const holder = isRetried ? model.keys.conflictOf(job.id) : undefined;
    if (holder !== undefined) {
      await expect(call).rejects.toMatchObject({ name: 'DuplicateJobError', id: holder });
      return;
    }
    expect(await call).toBe(isRetried);
    if (isRetried && transaction !== 'rollback') {
      model.retry(job);
    }
  },
});
