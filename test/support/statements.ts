import type { TableQueue } from '@tablequeue/typeorm';

/** What a queue sends: text and values. */
export interface SentStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The statements of the operations that a queue runs meanwhile. */
export async function statementsOf({ engine }: TableQueue, act: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const original = engine.execute.bind(engine);
  engine.execute = (factory, options) =>
    original(function* (dialect, again) {
      const operation = factory(dialect, again);
      let step = operation.next();
      while (!step.done) {
        sent.push(...step.value);
        step = operation.next(yield step.value);
      }
      return step.value;
    }, options);
  try {
    await act();
  } finally {
    engine.execute = original;
  }
  return sent;
}
