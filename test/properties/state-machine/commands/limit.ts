import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { UNIT } from '../model-job.js';
import { command } from './command.js';

const few = fc.constantFrom(1, 2, undefined, undefined);
// Windows that end between two units: what passes of the real time never ends one.
const rate = fc.constantFrom(undefined, undefined, { jobs: 1, per: 0.5 }, { jobs: 2, per: 1.5 });

export const limit = command('limit', fc.record({ concurrency: few, perTenant: few, rate }), {
  async act(model, machine, limited) {
    const { concurrency, perTenant, rate } = limited;
    await machine.queue.control.limit(machineJob.queue, {
      ...(concurrency !== undefined && { concurrency }),
      ...(perTenant !== undefined && { concurrencyPerTenant: perTenant }),
      ...(rate && { rate: { jobs: rate.jobs, per: rate.per * UNIT } }),
    });
    model.limits.change(limited);
  },
});
