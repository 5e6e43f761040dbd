import { setTimeout as sleep } from 'node:timers/promises';

import {
  type JobHandler,
  type TableQueue,
  batchHandler,
  child,
  eventHandler,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import {
  DOOMED_ORDERED,
  EFFECTS,
  MEANT,
  SIGNAL,
  SUBSCRIPTIONS,
  WRITE_EFFECT,
  batchJob,
  callbackJob,
  childJob,
  doomedJob,
  durableJob,
  effectJob,
  expiringJob,
  fleetingJob,
  flakyJob,
  followJob,
  limitedJob,
  memberJob,
  orderedJob,
  plainJob,
  ratedJob,
  soakEvent,
  tenantJob,
  tickJob,
  uniqueJob,
} from './jobs.js';

const nothing = () => undefined;

/**
 * What the workers run.
 *
 * @param onLatency receives how long after it was due a plain job has started, in ms. Both clocks are this machine's.
 */
export function soakHandlers(queue: TableQueue, onLatency: (ms: number) => void): JobHandler[] {
  return [
    jobHandler(plainJob, (_payload, { runAt }) => onLatency(Date.now() - runAt.getTime())),
    ...[fleetingJob, callbackJob, childJob, followJob, tenantJob, expiringJob, ratedJob].map((definition) =>
      jobHandler(definition, nothing),
    ),
    eventHandler(soakEvent, { subscription: SUBSCRIPTIONS[0], queue: 'mailing' }, nothing),
    eventHandler(
      soakEvent,
      { subscription: SUBSCRIPTIONS[1], queue: 'books', transactional: true },
      async (number, { manager }) => {
        await manager.query(WRITE_EFFECT, [number % EFFECTS.rows]);
      },
    ),
    jobHandler(tickJob, nothing),
    jobHandler(flakyJob, (fails, { failures, progress }) => {
      progress({ failures });
      if (failures < fails) {
        throw new Error(`attempt ${failures + 1} ${MEANT}`);
      }
      return { failures };
    }),
    jobHandler(doomedJob, () => {
      throw new Error(`every attempt ${MEANT}`);
    }),
    ...[uniqueJob, limitedJob, memberJob].map((definition) => jobHandler(definition, () => sleep(10))),
    batchHandler(batchJob, nothing),
    jobHandler(orderedJob, (number) => {
      if (number % DOOMED_ORDERED === 0) {
        throw new Error(`every attempt ${MEANT}`);
      }
    }),
    jobHandler(durableJob, async (number, job) => {
      await job.step('effect', (manager) => manager.query(WRITE_EFFECT, [number % EFFECTS.rows]), {
        transactional: true,
      });
      await job.waitForSignal(SIGNAL, { timeout: '1m' });
      await job.run('child', child(childJob, number));
      await job.sleep('1s');
      await job.step('last', () => ({ number }));
    }),
    transactionalHandler(effectJob, async (number, { manager }) => {
      await manager.query(WRITE_EFFECT, [number % EFFECTS.rows]);
      await queue.enqueue(followJob, number, { manager });
    }),
  ];
}
