import { matches, sortRows } from '../../src/overview/queue-list.js';
import type { ProblemKind, QueueColumn, QueuePage, QueueRow } from '../src/contract.js';

/** A page of queues, as the server filters and sorts them. */
export function queuePageOf(rows: readonly QueueRow[], query: URLSearchParams): QueuePage {
  const problem = query.get('problem');
  const filter = {
    contains: query.get('contains') ?? '',
    trouble: query.get('trouble') === 'true',
    ...(problem !== null && { problem: problem as ProblemKind }),
  };
  const order = {
    column: (query.get('sort') ?? 'queue') as QueueColumn,
    isDescending: query.get('descending') === 'true',
  };
  const found = sortRows(
    rows.filter((row) => matches(row, filter)),
    order,
  );
  const offset = Number(query.get('offset') ?? 0);
  return {
    takenAt: Date.now(),
    queues: found.slice(offset, offset + Number(query.get('limit'))),
    offset,
    matching: found.length,
    inTrouble: rows.filter(({ problems }) => problems.length > 0).length,
  };
}
