import type { EnqueuedJob, TableQueue } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import type { JournalEvent } from '../journal/journal-entry.js';
import type { ProcessContext } from '../processes/run-process.js';

type EnqueueEvent = Extract<JournalEvent, { readonly event: 'enqueue' }>;

/** What is recorded of some enqueues only. */
export type EnqueueDetails = Pick<
  EnqueueEvent,
  'transaction' | 'sequence' | 'order' | 'signal' | 'limit' | 'tenant' | 'replayedFrom'
>;

/** Thrown to roll back a transaction on purpose. */
export class IntendedRollback extends Error {}

/** Thrown to roll back a transaction after an enqueue failed. The journal has the error of the enqueue. */
export class EnqueueFailed extends Error {}

/** Runs a transaction, and records its begin and its end. */
export async function recordTransaction(
  { dataSource, journal }: ProcessContext,
  transaction: string,
  work: (manager: EntityManager, transaction: string) => Promise<void>,
): Promise<void> {
  journal.write({ event: 'begin', transaction });
  try {
    await dataSource.transaction(async (manager) => {
      await work(manager, transaction);
      journal.write({ event: 'committing', transaction });
    });
    journal.write({ event: 'committed', transaction });
  } catch (error) {
    const isIntended = error instanceof IntendedRollback || error instanceof EnqueueFailed;
    journal.write({ event: 'rolled-back', transaction, error: isIntended ? '' : String(error) });
  }
}

/** Enqueues a job, and records it before and after. @returns undefined if the enqueue has failed. */
export async function recordEnqueue<Stored extends Pick<EnqueuedJob, 'id' | 'created'>>(
  { queue, journal }: ProcessContext,
  event: Omit<EnqueueEvent, 'event'>,
  enqueue: (queue: TableQueue) => Promise<Stored>,
): Promise<Stored | undefined> {
  const { token } = event;
  journal.write({ event: 'enqueue', ...event });
  try {
    const job = await enqueue(queue);
    journal.write({ event: 'enqueued', token, id: job.id, created: job.created });
    return job;
  } catch (error) {
    journal.write({ event: 'enqueue-failed', token, error: String(error) });
    return undefined;
  }
}

/** Catches an intended rollback. */
export function throwUnlessIntended(error: unknown): void {
  if (!(error instanceof IntendedRollback)) {
    throw error;
  }
}
