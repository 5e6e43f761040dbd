import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { UNIT } from '../model-job.js';
import { command, transaction, wanted } from './command.js';

const jobs = fc.array(fc.record(wanted), { maxLength: 4 });

export const enqueueMany = command('enqueueMany', fc.record({ jobs, transaction }), {
  async act(model, machine, { jobs, transaction }) {
    const inputs = jobs.map((job) => ({ ...job, delay: job.delay * UNIT }));
    const enqueued = await machine.within(transaction, (options) => {
      return machine.queue.enqueueMany(machineJob, inputs, options);
    });
    expect(enqueued).toHaveLength(jobs.length);
    if (transaction !== 'rollback') {
      jobs.forEach((job, index) => model.add(enqueued[index]!.id, job));
    }
  },
});
