import {
  type JobHandler,
  type TableQueue,
  TableQueueJob,
  type TableQueueWorker,
  eventHandler,
} from '@tablequeue/typeorm';
import { defineEvent } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

/** The queue of published events. */
export const EVENTS = 'tablequeue.events';

/** An event that the worker processes of the tests subscribe to. */
export const paid = defineEvent<{ readonly order: number }>('order.paid');

/** Handlers of so many subscriptions, `s0`, `s1`, …, whose jobs nothing polls: their workers only fan events out. */
export function manyHandlers(count: number, queue = 'unpolled'): JobHandler[] {
  return Array.from({ length: count }, (_, index) =>
    eventHandler(paid, { subscription: `s${index}`, queue }, () => undefined),
  );
}

/** Registers the subscriptions of handlers, as their worker does when it starts. */
export async function register(
  start: (handlers: readonly JobHandler[]) => TableQueueWorker,
  handlers: readonly JobHandler[],
) {
  const worker = start(handlers);
  await worker.start();
  await worker.stop();
}

/** How many jobs each subscription has for each event, by `name payload`. */
export async function jobsBySubscription(dataSource: DataSource): Promise<Map<string, number>> {
  const rows = await dataSource.getRepository(TableQueueJob).find({ select: { id: true, name: true, payload: true } });
  const counts = new Map<string, number>();
  for (const { name, payload } of rows.filter((row) => row.name.includes('@') && !row.name.startsWith('@'))) {
    const key = `${name} ${payload}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Calls a function after each part of a fan-out or replay that a worker has committed. */
export function afterEachPart(worker: TableQueueWorker, act: (part: number) => Promise<void>): void {
  const { engine } = worker as unknown as { engine: TableQueue['engine'] };
  const original = engine.execute.bind(engine);
  let part = 0;
  engine.execute = async (factory, options) => {
    const result = await original(factory, options);
    if (['fan out an event', 'replay events'].includes(options.purpose)) {
      await act(++part);
    }
    return result;
  };
}
