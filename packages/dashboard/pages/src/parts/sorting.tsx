import { useLocation, useSearch } from 'wouter-preact';

import { Icon } from './icon.js';
import { pathTo } from './link.js';
import type { Column } from './table.js';

/** How the rows of a table are sorted. */
export interface Sorting {
  /** The title of a column. */
  readonly by: string;
  readonly isDescending: boolean;
  readonly sortBy: (title: string, isDescending: boolean) => void;
}

const DESCENDING = '-';

/**
 * Sorting that stands in the address: `?sort=-Ready`.
 *
 * @param first the column that rows are sorted by unless somebody says otherwise.
 */
export function useSorting(first: string): Sorting {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const sort = new URLSearchParams(search).get('sort') ?? first;
  const isDescending = sort.startsWith(DESCENDING);
  return {
    by: isDescending ? sort.slice(DESCENDING.length) : sort,
    isDescending,
    sortBy: (title, down) =>
      navigate(pathTo(path, { sort: title === first && !down ? undefined : `${down ? DESCENDING : ''}${title}` }), {
        replace: true,
      }),
  };
}

/** Null comes last either way, and rows that are equal stay in the order they have. */
export function sortedBy<Row>(
  { by, isDescending }: Sorting,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly Row[] {
  const order = columns.find(({ title }) => title === by)?.order;
  if (!order) {
    return rows;
  }
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((row, another) => {
    const [one, other] = [order(row), order(another)];
    if (one === null || other === null) {
      return Number(one === null) - Number(other === null);
    }
    return one === other ? 0 : one < other ? -sign : sign;
  });
}

export function ariaSortOf<Row>({ by, isDescending }: Sorting, { title, order }: Column<Row>) {
  if (!order) {
    return undefined;
  }
  return title !== by ? 'none' : isDescending ? 'descending' : 'ascending';
}

interface SortButtonProps<Row> {
  readonly sorting: Sorting;
  readonly column: Column<Row>;
}

/** The most comes first of numbers, A of names; pressed again it is the other way. */
export function SortButton<Row>({ sorting: { by, isDescending, sortBy }, column }: SortButtonProps<Row>) {
  const { title, isHead = false } = column;
  const isSorted = title === by;
  return (
    <button
      type="button"
      class={`sort ${isSorted ? 'is-sorted' : ''}`}
      onClick={() => sortBy(title, isSorted ? !isDescending : !isHead)}
    >
      {title}
      <Icon name={isSorted && !isDescending ? 'up' : 'down'} />
    </button>
  );
}
