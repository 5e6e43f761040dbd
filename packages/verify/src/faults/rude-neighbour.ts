import { TableQueueJob } from '@tablequeue/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

import type { Random } from '../random.js';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** How many rows it locks at most, and for how long, in ms. */
const ROWS = 20;
const HELD = { least: 200, most: 2_500 } as const;
/** One neighbour for each. */
const ORDERS = ['ASC', 'DESC'] as const;
type Order = (typeof ORDERS)[number];

/**
 * Somebody who works on the same rows, as a report or a clean-up by hand does: locks rows of jobs in one order and then in
 * the other, with a colleague who does it the other way round, so that deadlocks come about; waits with the locks held; and
 * rolls everything back.
 */
export const rudeNeighbour: Fault = {
  name: 'rude-neighbour',
  needs: ['connection'],
  allows: ['delay', 'order'],
  async inject(scene, random, signal) {
    const neighbours = new Map<Order, DataSource>();
    try {
      for (const order of ORDERS) {
        neighbours.set(order, await scene.connect());
      }
      const length = random.whole(HELD.least, HELD.most);
      const record = scene.record('everyone', `locks up to ${ROWS} jobs in both directions, for ${length} ms`);
      // Which of the two is the victim of a deadlock, or whether a worker is, the server decides.
      await Promise.allSettled(
        [...neighbours].map(([order, neighbour]) =>
          neighbour.transaction((manager) => lockRows(manager, order, length, random.fork(), signal)),
        ),
      );
      record.end();
    } finally {
      await Promise.all([...neighbours.values()].map((neighbour) => neighbour.destroy()));
    }
  },
};

class Leaves extends Error {}

async function lockRows(
  manager: EntityManager,
  order: Order,
  length: number,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const rows = await manager.find(TableQueueJob, { select: { id: true }, order: { id: order }, take: ROWS });
  for (const { id } of rows) {
    await manager.findOne(TableQueueJob, { where: { id }, lock: { mode: 'pessimistic_write' } });
    await sleepUnlessEnded(random.whole(0, length / rows.length), signal);
  }
  throw new Leaves();
}
