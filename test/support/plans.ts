import type { DataSource } from 'typeorm';

import type { SentStatement } from './statements.js';

interface PlanRow {
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly rows: number | string | null;
  readonly Extra: string | null;
}

/** What a statement may do that others may not. */
export interface CheapSteps {
  /** Tables that may be read whole, and sorted: they have a row for each worker, queue or schedule. */
  readonly small?: readonly string[];
  /**
   * Whether it may sort or group what it has found: that ends at a limit, or there is a row for each lane or minute.
   */
  readonly mayGroup?: boolean;
}

/**
 * How the server would run a statement: which of the queue's tables and indexes it reads from one end to the other, and
 * what it sorts. Empty where it does neither.
 */
export async function costlySteps(
  dataSource: DataSource,
  { sql, parameters }: SentStatement,
  { small = [], mayGroup = false }: CheapSteps = {},
): Promise<string[]> {
  const tables = namesIn(sql);
  const grows = (name: string) => tables.has(name) && !small.includes(tables.get(name) as string);
  const isSorted = (words: string) => /TEMP B-TREE|filesort|temporary/i.test(words);
  if (dataSource.options.type === 'better-sqlite3') {
    const plan: { detail: string }[] = await dataSource.query(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
    const scanned = (step: string) => /^SCAN (\w+)/.exec(step)?.[1] ?? '';
    return plan
      .map(({ detail }) => detail)
      .filter((step) => grows(scanned(step)) || (!mayGroup && isSorted(step) && [...tables.keys()].some(grows)));
  }
  // MariaDB explains no statement with settings.
  const explained = sql.replace(/^SET STATEMENT .* FOR SELECT/, 'SELECT');
  const plan: PlanRow[] = await dataSource.query(`EXPLAIN FORMAT=TRADITIONAL ${explained}`, [...parameters]);
  return plan
    .filter(({ table, type, rows, Extra }) => {
      const sorted = isSorted(Extra ?? '');
      // Along an index up to a limit the server shows that limit; it has read all rows that it sorts.
      const isScan = type === 'ALL' || (type === 'index' && (sorted || Number(rows) > largestLimit(sql)));
      return grows(table ?? '') && (isScan || (sorted && !mayGroup));
    })
    .map(({ table, type, key, rows, Extra }) => `${table} ${type} ${key} ${rows} ${Extra}`);
}

/** How the server would go into an index in a statement, in its own words, once for each place where it does. */
export async function waysInto(
  dataSource: DataSource,
  { sql, parameters }: SentStatement,
  index: string,
): Promise<string[]> {
  if (dataSource.options.type === 'better-sqlite3') {
    const plan: { detail: string }[] = await dataSource.query(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
    return plan.map(({ detail }) => detail).filter((step) => step.includes(`INDEX ${index} `));
  }
  const plan: PlanRow[] = await dataSource.query(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, [...parameters]);
  return plan.filter(({ key }) => key === index).map(({ type, rows, Extra }) => `${type} ${rows} ${Extra}`);
}

function largestLimit(sql: string): number {
  return Math.max(0, ...[...sql.matchAll(/LIMIT (\d+)/g)].map(([, limit]) => Number(limit)));
}

/** The queue's tables that a statement reads, by the names it gives them. */
function namesIn(sql: string): ReadonlyMap<string, string> {
  const tables = sql.matchAll(/\b(?:FROM|JOIN)\s+[`"]?(tq_\w+)[`"]?(?:\s+(?:AS\s+)?([a-z]\w*))?/g);
  return new Map(
    [...tables].flatMap(
      ([, table = '', alias]) => [[table, table], ...(alias ? [[alias, table] as const] : [])] as [string, string][],
    ),
  );
}
