import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { UNIT } from '../model-job.js';
import { command } from './command.js';

const few = fc.constantFrom(1, 2, undefined, undefined);
// Tokens that come back between two units: what passes of the real time never brings one.
const rate = fc.constantFrom(undefined, undefined, { per: 0.6, burst: 1 }, { per: 0.7, burst: 2 });

export const limit = command('limit', fc.record({ concurrency: few, perTenant: few, rate, tenantRate: rate }), {
  async act(model, machine, limited) {
    const { concurrency, perTenant, rate, tenantRate } = limited;
    await machine.queue.control.limit(machineJob.queue, {
      ...(concurrency !== undefined && { concurrency }),
      ...(perTenant !== undefined && { concurrencyPerTenant: perTenant }),
      ...(rate && { rate: { jobs: 1, per: rate.per * UNIT, burst: rate.burst } }),
      ...(tenantRate && { ratePerTenant: { jobs: 1, per: tenantRate.per * UNIT, burst: tenantRate.burst } }),
    });
    model.limits.change(limited);
  },
});
