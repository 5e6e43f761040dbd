import type { TableQueue, TransactionOptions } from '@tablequeue/typeorm';
import { REPLAY_JOB } from '@tablequeue/typeorm/internal';
import type { EntityManager } from 'typeorm';

import type { Random } from '../random.js';
import type { Payload } from './definitions.js';
import { ARCHIVE, publishedEvent, replayToken } from './events.js';
import type { ProducerCalls } from './producer-calls.js';
import { EnqueueFailed, IntendedRollback, recordEnqueue } from './recorded-calls.js';
import { OrderRow } from './verify-tables.js';

/** The share of the transactions that are rolled back. */
const ROLLED_BACK = 0.3;

/** From how long ago on events are replayed, in ms. Few, because their number and that of replays grow with the rate. */
const REPLAYED = 3_000;

/** Publishes an event without a transaction. */
export async function publishEvent(calls: ProducerCalls, random: Random): Promise<number> {
  await publish(calls, calls.drawPayload(random));
  return 1;
}

/** Publishes one or two events in a transaction that is held open, and commits it or rolls it back. */
export async function publishInTransaction(calls: ProducerCalls, random: Random): Promise<number> {
  const count = random.integer(1, 2);
  await calls.transact(async (manager, transaction) => {
    for (let event = 0; event < count; event++) {
      const payload = calls.drawPayload(random);
      await manager.insert(OrderRow, { token: payload.token });
      if (!(await publish(calls, payload, { manager, transaction }))) {
        throw new EnqueueFailed();
      }
    }
    await calls.holdOpen(random);
    if (random.chance(ROLLED_BACK)) {
      throw new IntendedRollback();
    }
  });
  return count;
}

/** Replays the latest events to one subscription, half of the time in a transaction, which may be rolled back. */
export async function replayEvents(calls: ProducerCalls, random: Random): Promise<number> {
  const { slot, producers } = calls.context.config;
  // No two replays begin at the same time: it identifies them.
  const from = Math.floor((Date.now() - REPLAYED) / 100) * 100 + producers.indexOf(slot);
  const token = replayToken(from);
  const options = { from: new Date(from) };
  const event = { token, kind: REPLAY_JOB, method: 'single', replayedFrom: from } as const;
  const replay = (queue: TableQueue, within: TransactionOptions = {}) =>
    queue.subscriptions
      .replay(publishedEvent, ARCHIVE.subscription, { ...options, ...within })
      .then(({ id }) => ({ id, created: true }));
  if (random.chance(0.5)) {
    await recordEnqueue(calls.context, event, replay);
    return 1;
  }
  await calls.transact(async (manager, transaction) => {
    await manager.insert(OrderRow, { token });
    const own = { ...event, method: 'transaction', transaction } as const;
    if (!(await recordEnqueue(calls.context, own, (queue) => replay(queue, { manager })))) {
      throw new EnqueueFailed();
    }
    await calls.holdOpen(random);
    if (random.chance(ROLLED_BACK)) {
      throw new IntendedRollback();
    }
  });
  return 1;
}

/** Publishes an event, and records it as the enqueue of its job. @returns undefined if that has failed. */
function publish(
  { context }: ProducerCalls,
  payload: Payload,
  within?: { readonly manager: EntityManager; readonly transaction: string },
) {
  const { token } = payload;
  const method = within ? 'transaction' : 'single';
  const event = {
    token,
    kind: publishedEvent.name,
    method,
    ...(within && { transaction: within.transaction }),
  } as const;
  return recordEnqueue(context, event, async (queue) => {
    const { id } = await queue.publish(publishedEvent, payload, within && { manager: within.manager });
    return { id, created: true };
  });
}
