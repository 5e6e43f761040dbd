import { setTimeout as sleep } from 'node:timers/promises';

import { type DurableJobContext, type JobHandler, child, jobHandler } from '@tablequeue/typeorm';

import type { Journal } from '../journal/journal.js';
import { AWAITED_SIGNAL, CHUNKS, type Payload, childJob, durableJob } from './definitions.js';
import { recordCall } from './record-call.js';
import { EffectRow } from './verify-tables.js';

/** How long the wait for a signal takes at most, in ms. Half of the jobs get none. */
const PATIENCE = 1_000;
/** How long the child and the sleep take at most, in ms. The first step may take as long as a lease. */
const SHORT = 50;

/** Returns the handler of durable jobs. It records each call of a step, and each result that it gets. */
export function durableHandler(journal: Journal, process: string): JobHandler {
  return jobHandler(durableJob, (payload, job) => {
    return recordCall(journal, payload, job, () => runSteps(journal, process, payload, job));
  });
}

async function runSteps(journal: Journal, process: string, payload: Payload, job: DurableJobContext): Promise<void> {
  const { id, attempt } = job;
  const { token, work } = payload;
  const began = (step: string) => journal.write({ event: 'step', id, step });
  const got = (step: string, value: unknown) =>
    journal.write({ event: 'step-result', id, step, value: JSON.stringify(value ?? null) });

  got(
    'plain',
    await job.step('plain', async () => {
      began('plain');
      await sleep(work);
      return `${process}, attempt ${attempt}`;
    }),
  );
  got(
    'effect',
    await job.step(
      'effect',
      async (manager) => {
        await manager.insert(EffectRow, { token: ledgerToken(token, 'effect'), attempt, process });
        return `${process}, attempt ${attempt}`;
      },
      { transactional: true },
    ),
  );
  const signal = await job.waitForSignal<string>(AWAITED_SIGNAL, { timeout: PATIENCE });
  got(AWAITED_SIGNAL, signal?.data);
  got(
    'child',
    await job.run('child', child(childJob, { token: `${token}/child`, work: Math.min(work, SHORT), fails: 0 })),
  );
  await job.sleep(Math.min(work, SHORT));
  await job.step('chunks', async (step) => {
    for (let chunk = Number(step.cursor ?? 0) + 1; chunk <= CHUNKS; chunk++) {
      const row = { token: ledgerToken(token, `chunk ${chunk}`), attempt, process };
      await step.checkpoint(chunk, (manager) => manager.insert(EffectRow, row));
    }
  });
}

/** The token of an effect of a step. */
export function ledgerToken(token: string, step: string): string {
  return `${token}/${step}`;
}
