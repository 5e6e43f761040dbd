import { AsyncLocalStorage } from 'node:async_hooks';

import type { TableQueue } from '@tablequeue/typeorm';
import type { DataSource, EntitySubscriberInterface } from 'typeorm';

/** What a queue sends: text and values. */
export interface SentStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The statements of the operations that something runs on a queue, without those of a worker beside it. */
export function ownStatementsOf(queue: TableQueue, act: () => Promise<unknown>): Promise<SentStatement[]> {
  const acting = new AsyncLocalStorage<true>();
  return statementsOf(
    queue,
    () => acting.run(true, act),
    () => acting.getStore() === true,
  );
}

/** The statements of the operations that a queue runs meanwhile. */
export async function statementsOf(
  { engine }: TableQueue,
  act: () => Promise<unknown>,
  isMeant: () => boolean = () => true,
): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const original = engine.execute.bind(engine);
  engine.execute = (factory, options) => {
    if (!isMeant()) {
      return original(factory, options);
    }
    return original(function* (dialect, again) {
      const operation = factory(dialect, again);
      let step = operation.next();
      while (!step.done) {
        sent.push(...step.value);
        step = operation.next(yield step.value);
      }
      return step.value;
    }, options);
  };
  try {
    await act();
  } finally {
    engine.execute = original;
  }
  return sent;
}

/** The first words of the statements that TypeORM has sent for what something does, without those of the background. */
export async function sentVerbs({ subscribers }: DataSource, act: () => Promise<unknown>): Promise<string[]> {
  const acting = new AsyncLocalStorage<true>();
  const verbs: string[] = [];
  const subscriber: EntitySubscriberInterface = {
    beforeQuery: ({ query }) => void (acting.getStore() && verbs.push(query.trim().split(/\s/)[0]!)),
  };
  subscribers.push(subscriber);
  try {
    await acting.run(true, act);
  } finally {
    subscribers.splice(subscribers.indexOf(subscriber), 1);
  }
  return verbs;
}
