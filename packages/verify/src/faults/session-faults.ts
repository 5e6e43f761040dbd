import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueJob } from '@tablequeue/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

import type { Random } from '../random.js';
import { sleepUnlessAborted } from '../timing.js';
import type { Fault } from './fault.js';

/** The number of rows that each session locks at most. */
const ROWS = 20;
/** How long the locks are held, in ms. */
const DURATION = { least: 200, most: 2_500 } as const;
const ORDERS = ['ASC', 'DESC'] as const;
type Order = (typeof ORDERS)[number];

/**
 * Locks rows of jobs in two sessions, as reports and manual clean-ups do. The sessions lock in opposite orders, so that
 * deadlocks occur. They hold their locks for some time and then roll back.
 */
export const lockRows: Fault = {
  name: 'lock-rows',
  needs: ['connection'],
  allows: ['delay', 'order'],
  async inject(context, random, signal) {
    const sessions = new Map<Order, DataSource>();
    try {
      for (const order of ORDERS) {
        sessions.set(order, await context.connect());
      }
      const length = random.integer(DURATION.least, DURATION.most);
      const active = context.begin('everyone', `locks up to ${ROWS} jobs in both directions, for ${length} ms`);
      // The server decides whether a session or a worker is the victim of a deadlock.
      await Promise.allSettled(
        [...sessions].map(([order, session]) =>
          session.transaction((manager) => lockInOrder(manager, order, length, random.fork(), signal)),
        ),
      );
      active.end();
    } finally {
      await Promise.all([...sessions.values()].map((session) => session.destroy()));
    }
  },
};

class IntendedRollback extends Error {}

async function lockInOrder(
  manager: EntityManager,
  order: Order,
  length: number,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const where = { finishedAt: 0 };
  const rows = await manager.find(TableQueueJob, { select: { id: true }, where, order: { id: order }, take: ROWS });
  for (const { id } of rows) {
    await manager.findOne(TableQueueJob, { where: { id }, lock: { mode: 'pessimistic_write' } });
    await sleepUnlessAborted(random.integer(0, Math.round(length / rows.length)), signal);
  }
  throw new IntendedRollback();
}

/** How often the snapshot is checked, in ms. It is gone after a restart of the server. */
const CHECK_INTERVAL = 500;

/**
 * Keeps a snapshot open during the whole run, as a backup does. The server then purges nothing, so a query from the
 * head of a queue reads the index entry of every job that was ever in it. This must have no visible effect. If another
 * fault ends the snapshot, a new one is opened.
 */
export const openSnapshot: Fault = {
  name: 'open-snapshot',
  needs: ['connection'],
  allows: [],
  when: 'once',
  async inject(context, _random, signal) {
    const dataSource = await context.connect();
    const active = context.begin('everyone', 'a transaction keeps its snapshot open until the end of the load');
    let wasOpen = false;
    try {
      while (!signal.aborted) {
        await dataSource
          .transaction('REPEATABLE READ', async (manager) => {
            await manager.countBy(TableQueueJob, {});
            wasOpen = true;
            while (!signal.aborted) {
              await sleepUnlessAborted(CHECK_INTERVAL, signal);
              await manager.query('SELECT 1');
            }
          })
          .catch((error: unknown) => {
            if (!wasOpen) {
              throw error;
            }
            return sleep(CHECK_INTERVAL);
          });
      }
    } finally {
      active.end();
      await dataSource.destroy();
    }
  },
};
