import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { command, hasJobs, jobAt, wanted } from './command.js';

export const changePriority = command('changePriority', fc.record({ job: fc.nat(30), priority: wanted.priority }), {
  isPossible: hasJobs,
  async act(model, machine, { job: number, priority }) {
    const job = jobAt(model, number);
    const changed = model.isLive(job) && job.state !== 'running' && job.priority !== priority ? 1 : 0;
    expect(await machine.queue.jobs.changePriority(job.id, priority)).toEqual({ changed, skipped: 1 - changed });
    if (changed) {
      job.priority = priority;
    }
  },
});
