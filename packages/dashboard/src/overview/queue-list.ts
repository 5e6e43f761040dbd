import type { ProblemKind, QueueColumn, QueueRow } from '../contract/index.js';

/** A row without what is read only for shown rows. */
export type UnchartedRow = Omit<QueueRow, 'spark'>;

/** Which queues to list. */
export interface QueueFilter {
  /** A part of the name, in upper or lower case. */
  readonly contains?: string;
  readonly problem?: ProblemKind;
  /** Whether to list only those with a problem. */
  readonly trouble?: boolean;
}

/** In which order to list queues. */
export interface QueueOrder {
  readonly column: QueueColumn;
  readonly isDescending: boolean;
}

/** The values that rows are sorted by. */
const VALUES: Readonly<Record<Exclude<QueueColumn, 'queue'>, (row: UnchartedRow) => number | null>> = {
  ready: ({ counts }) => counts.ready.count,
  running: ({ counts }) => counts.running.count,
  scheduled: ({ counts }) => counts.scheduled.count,
  oldestReady: ({ oldestReady }) => oldestReady,
  latency: ({ latency }) => latency,
  failureRate: ({ failureRate }) => failureRate,
  workers: ({ workers }) => workers,
  throughput: ({ throughput }) => throughput,
};

/** Compares numbers within names by their value: `import-2` comes before `import-10`. */
export const { compare: compareNames } = new Intl.Collator('en', { numeric: true });

export function matches(
  { queue, problems }: Pick<QueueRow, 'queue' | 'problems'>,
  { contains = '', problem, trouble = false }: QueueFilter,
): boolean {
  return (
    queue.toLowerCase().includes(contains.toLowerCase()) &&
    (!trouble || problems.length > 0) &&
    (problem === undefined || problems.includes(problem))
  );
}

/** Sorts rows that are ordered by name. Null comes last in both directions. */
export function sortRows<Row extends UnchartedRow>(
  rows: readonly Row[],
  { column, isDescending }: QueueOrder,
): readonly Row[] {
  if (column === 'queue') {
    return isDescending ? rows.toReversed() : rows;
  }
  const valueOf = VALUES[column];
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((row, another) => {
    const [one, other] = [valueOf(row), valueOf(another)];
    return one === null || other === null ? Number(one === null) - Number(other === null) : sign * (one - other);
  });
}
