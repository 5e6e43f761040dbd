import { type TableQueue, type TransactionOptions, defineJob } from '@tablequeue/typeorm';

/** A job that some of the calls change. */
interface ChangedJob {
  readonly id: string;
  readonly key: string;
}

type ChangingCall = (queue: TableQueue, options: TransactionOptions, job: ChangedJob) => Promise<unknown>;

const job = defineJob<number>('job');

/** The calls that can be part of a transaction and change something. Those with a job change that one. */
export const CHANGING_CALLS: Readonly<Record<string, ChangingCall>> = {
  enqueue: (queue, options) => queue.enqueue(job, 1, options),
  'enqueue with a key': (queue, options) => queue.enqueue(job, 1, { ...options, key: 'another' }),
  'enqueue of a unique job': (queue, options) => queue.enqueue(job, 1, { ...options, unique: { key: 'one' } }),
  enqueueMany: (queue, options) => queue.enqueueMany(job, [{ payload: 1 }, { payload: 2 }], options),
  'groups.enqueue': (queue, options) =>
    queue.groups.enqueue(
      { jobs: [{ definition: job, payload: 1 }], onComplete: { definition: job, payload: 2 } },
      options,
    ),
  cancel: (queue, options, { id }) => queue.cancel(id, options),
  cancelByKey: (queue, options, { key }) => queue.cancelByKey(key, options),
  'failed.retry': (queue, options, { id }) => queue.failed.retry(id, options),
};
