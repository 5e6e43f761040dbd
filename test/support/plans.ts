import type { DataSource } from 'typeorm';

import type { SentStatement } from './statements.js';

interface PlanRow {
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly Extra: string | null;
}

/** How the server would run a statement: what it does without an index, and what it sorts. Empty where it does neither. */
export async function costlySteps(dataSource: DataSource, { sql, parameters }: SentStatement): Promise<string[]> {
  if (dataSource.options.type === 'better-sqlite3') {
    const plan: { detail: string }[] = await dataSource.query(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
    return plan.map(({ detail }) => detail).filter((step) => /TEMP B-TREE|SCAN tq_(?!.*USING)/.test(step));
  }
  const plan: PlanRow[] = await dataSource.query(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, [...parameters]);
  return plan
    .filter(({ table, type, Extra }) => {
      const isOwn = table !== null && !/^<|^lane_\d+$|^lanes$/.test(table);
      return isOwn && (type === 'ALL' || /filesort|temporary/i.test(Extra ?? ''));
    })
    .map(({ table, type, key, Extra }) => `${table} ${type} ${key} ${Extra}`);
}
