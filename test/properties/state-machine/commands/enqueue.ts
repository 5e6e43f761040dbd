import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { UNIT } from '../model.js';
import { command, transaction, wanted } from './command.js';

export const enqueue = command('enqueue', fc.record({ ...wanted, transaction }), {
  async act(model, machine, { payload, priority, key, delay, transaction }) {
    const { id, created } = await machine.within(transaction, (options) => {
      return machine.queue.enqueue(machineJob, payload, { ...options, priority, key, delay: delay * UNIT });
    });
    expect(created).toBe(true);
    if (transaction !== 'rollback') {
      model.add(id, { payload, priority, key }, delay);
    }
  },
});
