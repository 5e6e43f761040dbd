import { expect } from '@jest/globals';
import { DuplicateJobError } from '@tablequeue/typeorm';
import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { type ModelJob, UNIT } from '../model-job.js';
import type { Model } from '../model.js';
import { command, transaction, wanted } from './command.js';

const input = fc.record({
  ...wanted,
  transaction,
  unique: fc.constantFrom('u', 'v'),
  lasts: fc.constantFrom('queued' as const, 'unfinished' as const),
  within: fc.constantFrom(2, 4, undefined),
  onConflict: fc.constantFrom('return' as const, 'replace' as const, 'throw' as const),
});
type Input = typeof input extends fc.Arbitrary<infer T> ? T : never;

export const enqueueUnique = command('enqueueUnique', input, {
  async act(model, machine, given) {
    const { transaction, unique, onConflict, lasts, within } = given;
    const holder = model.keys.holderOf(unique);
    const enqueued = machine.within(transaction, (options) => {
      return machine.queue.enqueue(machineJob, given.payload, {
        ...options,
        priority: given.priority,
        key: given.key,
        tenant: given.tenant,
        delay: given.delay * UNIT,
        unique: { key: unique, while: lasts, onConflict, ...(within && { period: within * UNIT }) },
      });
    });
    if (holder && onConflict === 'throw') {
      await expect(enqueued).rejects.toBeInstanceOf(DuplicateJobError);
      return;
    }
    const replaced = holder && onConflict === 'replace' ? replaceable(model, holder) : undefined;
    const { id, ...answer } = await enqueued;
    expect(answer).toEqual({ created: !holder, replaced: replaced !== undefined });
    if (holder) {
      expect(id).toBe(holder.id);
    }
    if (transaction === 'rollback') {
      return;
    }
    if (replaced) {
      replace(model, replaced, given);
    } else if (!holder) {
      model.add(id, given);
      model.keys.addHolder(unique, id, lasts, within);
    }
  },
});

/** Only what waits is replaced. */
function replaceable(model: Model, { id, lasts }: { readonly id: string; readonly lasts: string }) {
  const job = lasts === 'window' ? undefined : model.job(id);
  return job?.state === 'running' ? undefined : job;
}

function replace(model: Model, job: ModelJob, { payload, priority, key, tenant, delay }: Input): void {
  model.requests.delete(job);
  const state = delay > 0 ? 'scheduled' : 'ready';
  Object.assign(job, { payload, priority, key, tenant, state, failures: 0, crashes: 0, due: model.now + delay });
}
