import { setTimeout as sleep } from 'node:timers/promises';

import {
  type JobDefinition,
  type JobHandler,
  type JobInfo,
  type TableQueue,
  type TableQueueWorker,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import type { AttemptOutcome } from '../journal/journal-entry.js';
import type { Journal } from '../journal/journal.js';
import { durableHandler } from './durable-handler.js';
import { subscriptionHandlers } from './event-handlers.js';
import { recordCall } from './record-call.js';
import { EffectRow } from './verify-tables.js';
import {
  type Payload,
  callbackJob,
  childJob,
  doomedJob,
  effectJob,
  expiringJob,
  unkeptJob,
  followJob,
  keyedJob,
  limitedJob,
  longJob,
  orderedJob,
  plainJob,
  ratedJob,
  tenantJob,
  tickJob,
  uniqueJob,
} from './definitions.js';

/** Returns the handlers of a worker: all but those of ordered jobs and of the producers' own jobs. */
export function workerHandlers(queue: TableQueue, journal: Journal, process: string): JobHandler[] {
  const recorded = [
    plainJob,
    longJob,
    unkeptJob,
    doomedJob,
    followJob,
    callbackJob,
    limitedJob,
    uniqueJob,
    childJob,
    keyedJob,
    expiringJob,
    ratedJob,
    tenantJob,
  ];
  return [
    ...recorded.map((definition) => recordingHandler(definition, journal)),
    effectHandler(queue, journal, process),
    durableHandler(journal, process),
    ...subscriptionHandlers(journal, process),
    jobHandler(tickJob, () => journal.write({ event: 'tick' })),
  ];
}

/** Returns the handlers of the worker that claims in strict order. */
export function orderedHandlers(journal: Journal, producers: readonly string[]): JobHandler[] {
  return producers.map((producer) => recordingHandler(orderedJob(producer), journal));
}

/** Returns a handler that records its start and its end. */
export function recordingHandler(definition: JobDefinition<Payload>, journal: Journal): JobHandler {
  return jobHandler(definition, (payload, job) => recordCall(journal, payload, job, () => sleep(payload.work)));
}

function effectHandler(queue: TableQueue, journal: Journal, process: string): JobHandler {
  return transactionalHandler(effectJob, (payload, job) =>
    recordCall(journal, payload, job, async () => {
      const { token } = payload;
      const { attempt, manager } = job;
      await manager.insert(EffectRow, { token, attempt, process });
      const follow = { token: `${token}+${attempt}`, work: 0, fails: 0 };
      journal.write({ event: 'enqueue', token: follow.token, kind: followJob.name, method: 'handler' });
      await queue.enqueue(followJob, follow, { manager });
      await sleep(payload.work);
    }),
  );
}

const OUTCOMES: readonly AttemptOutcome[] = [
  'succeeded',
  'failed',
  'retried',
  'snoozed',
  'parked',
  'cancelled',
  'expired',
  'returned',
  'lost',
];

export function recordEvents({ events }: TableQueueWorker, journal: Journal): void {
  for (const outcome of OUTCOMES) {
    events.on(outcome, ({ id, attempt }: JobInfo) => journal.write({ event: 'outcome', id, attempt, outcome }));
  }
  events.on('stalled', ({ id, attempt }) => journal.write({ event: 'stalled', id, attempt }));
}
