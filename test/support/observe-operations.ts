import type { TableQueue, TableQueueWorker } from '@tablequeue/typeorm';

/** An operation that a worker has run. */
export interface ObservedOperation {
  readonly purpose: string;
  /** How many rows of tables and entries of indexes it has read, if they are counted. */
  readonly read: number | undefined;
}

/** The operations that a worker runs from now on. @param options whether to count what each reads, on a server. */
export function observeOperations(worker: TableQueueWorker, { countReads = false } = {}): ObservedOperation[] {
  const { engine } = { engine: worker['engine'] } as unknown as TableQueue;
  const operations: ObservedOperation[] = [];
  const original = engine.execute.bind(engine);
  const status = { sql: "SHOW SESSION STATUS LIKE 'Handler_read%'", parameters: [], recurs: false };
  engine.execute = (factory, options) =>
    original(function* (dialect, again) {
      const before = countReads ? sumOf(yield [status as never]) : undefined;
      const result = yield* factory(dialect, again);
      const after = countReads ? sumOf(yield [status as never]) : undefined;
      operations.push({ purpose: options.purpose, read: after === undefined ? undefined : after - before! });
      return result;
    }, options);
  return operations;
}

/** Without the rows of temporary tables, such as that of the status. */
function sumOf([status]: readonly { readonly rows: readonly unknown[] }[]): number {
  const rows = status!.rows as { Variable_name: string; Value: string }[];
  const counted = rows.filter(({ Variable_name: name }) => !/rnd/.test(name));
  return counted.reduce((sum, { Value }) => sum + Number(Value), 0);
}
