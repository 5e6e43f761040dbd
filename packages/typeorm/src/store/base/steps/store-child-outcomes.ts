import { isEncoded } from '../../../codec/encoded-text.js';
import { isChildSet, uuidFromBytes } from '../../../definition/job-id.js';
import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { Outcome } from '../../../tables/job.js';
import { type Measure, MOST_IDS, chunksBySize, chunksOf } from '../chunks.js';

/** A child that has ended. */
interface EndedChild {
  readonly id: Buffer;
  readonly groupId: Buffer | null;
  readonly outcome: Outcome;
  /** The text as it is stored. */
  readonly result?: string | null;
  readonly error?: string | null;
}

/** The parent of children that are not awaited any more. No job has this id. */
export const NO_PARENT = Buffer.alloc(16);
/** The longest error of an outcome, in characters. The row of the child has all of it, with its stack. */
const LONGEST_ERROR = 1_000;
/** The same for one that a codec has encoded with its stack. */
const LONGEST_ENCODED_ERROR = 8_192;
/** How long the row of one outcome is, beside its texts. */
const OUTCOME_BYTES = 250;

/**
 * Sends the outcomes of children to their parents: a signal with the name of the set. Only inside the transaction that
 * finishes the children, so the parent gets each outcome whatever becomes of the child's row. Other jobs cost nothing.
 *
 * Index: the primary keys. Locks: the new rows. A second run stores nothing, because of `once`.
 */
export function* storeChildOutcomes(dialect: Dialect, jobs: readonly EndedChild[]): Operation<void> {
  const children = jobs.filter(({ groupId }) => groupId !== null && isChildSet(groupId));
  const parents = new Map<string, Buffer>();
  const sets = new Map(children.map(({ groupId }) => [groupId!.toString('hex'), groupId!]));
  for (const chunk of chunksOf([...sets.values()], MOST_IDS)) {
    const rows = yield* select<{ id: Buffer; parent: Buffer }>(
      sql`SELECT id, parent FROM ${dialect.tables.group} WHERE id IN (${sql.list(chunk)}) AND parent <> ${NO_PARENT}`,
    );
    rows.forEach(({ id, parent }) => parents.set(id.toString('hex'), parent));
  }
  const outcomes = children.flatMap((child) => {
    const parent = parents.get(child.groupId!.toString('hex'));
    return parent ? [{ parent, child, data: dataOf(child) }] : [];
  });
  const bytesOf = ({ data }: { readonly data: string }, measure: Measure) => OUTCOME_BYTES + measure(data);
  for (const chunk of chunksBySize(dialect, outcomes, MOST_IDS, bytesOf)) {
    const values = chunk.map(
      ({ parent, child: { id, groupId }, data }) =>
        sql`(${parent}, ${uuidFromBytes(groupId!)}, ${dialect.now}, ${id}, ${data}, ${uuidFromBytes(id)})`,
    );
    yield* change(
      sql`${dialect.insertIgnore} ${dialect.tables.signal} (job_id, name, sent_at, id, data, once)
          VALUES ${sql.join(values)}`,
    );
  }
}

/** The outcome of a child as its parent stores it: a `ChildOutcome`, with what codecs have written as it is. */
export type StoredChildOutcome =
  | { readonly id: string; readonly state: 'succeeded'; readonly result?: unknown; readonly encodedResult?: string }
  | { readonly id: string; readonly state: 'failed'; readonly error: string; readonly encodedError?: string }
  | { readonly id: string; readonly state: 'cancelled' | 'expired' };

/** A `StoredChildOutcome` as JSON text. */
function dataOf({ id: bytes, outcome, result = null, error = null }: EndedChild): string {
  const id = uuidFromBytes(bytes);
  switch (outcome) {
    case 'succeeded':
      return result !== null && isEncoded(result)
        ? JSON.stringify({ id, state: outcome, encodedResult: result })
        : `{"id":"${id}","state":"succeeded"${result === null ? '' : `,"result":${result}`}}`;
    case 'failed':
      if (error !== null && isEncoded(error)) {
        const encodedError = error.length <= LONGEST_ENCODED_ERROR ? error : undefined;
        return JSON.stringify({ id, state: outcome, error: 'Its error is encoded: see the child', encodedError });
      }
      return JSON.stringify({ id, state: outcome, error: withoutStack(error ?? '') });
    case 'cancelled':
    case 'expired':
      return JSON.stringify({ id, state: outcome });
  }
}

/** Many outcomes are one result of the parent, and stacks would not fit. */
export function withoutStack(error: string): string {
  return error.split('\n    at ', 1)[0]!.slice(0, LONGEST_ERROR).toWellFormed();
}
