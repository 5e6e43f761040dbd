import { expect } from '@jest/globals';

import { command, hasJobs, jobAt, whichJob } from './command.js';

export const runNow = command('runNow', whichJob, {
  isPossible: hasJobs,
  async act(model, machine, { job: number }) {
    const job = jobAt(model, number);
    const changed = job.state === 'scheduled' ? 1 : 0;
    expect(await machine.queue.jobs.runNow(job.id)).toEqual({ changed, skipped: 1 - changed });
    if (changed) {
      Object.assign(job, { state: 'ready', due: model.now });
    }
  },
});
