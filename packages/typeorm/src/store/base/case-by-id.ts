import { type Fragment, type Parameter, sql } from '../../engine/sql.js';

/** A row and its value. */
interface ValueOfId {
  readonly id: Buffer;
  readonly value: string | null;
}

const NULL = sql`NULL`;

/**
 * An expression for the value of a row, where each row has one of these ids. It is a binary search, so the row of one
 * of 800 jobs is compared with ten ids.
 *
 * @param inOrder in the order of the ids, which differ.
 */
export function caseById(inOrder: readonly ValueOfId[]): Fragment {
  const parameters: Parameter[] = [];
  return sql.bind(search(inOrder, parameters), parameters);
}

/** Adds the parameters in the order in which the expression has them. */
function search(rows: readonly ValueOfId[], parameters: Parameter[]): Fragment {
  if (rows.every(({ value }) => value === null)) {
    return NULL;
  }
  if (rows.length === 1) {
    parameters.push(rows[0]?.value ?? null);
    return sql.open;
  }
  const half = rows.length >> 1;
  parameters.push(rows[half]?.id ?? null);
  const lower = search(rows.slice(0, half), parameters);
  const upper = search(rows.slice(half), parameters);
  return sql`CASE WHEN id < ${sql.open} THEN ${lower} ELSE ${upper} END`;
}
