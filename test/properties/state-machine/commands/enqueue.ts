import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { UNIT } from '../model-job.js';
import { command, transaction, wanted as job } from './command.js';

export const enqueue = command('enqueue', fc.record({ ...job, transaction }), {
  async act(model, machine, { transaction, payload, ...wanted }) {
    const { id, created } = await machine.within(transaction, (options) => {
      return machine.queue.enqueue(machineJob, payload, { ...options, ...wanted, delay: wanted.delay * UNIT });
    });
    expect(created).toBe(true);
    if (transaction !== 'rollback') {
      model.add(id, { payload, ...wanted });
    }
  },
});
