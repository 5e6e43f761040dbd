import { Icon } from '../components/icon.js';
import { useParameters } from '../state/parameters.js';
import type { Column } from './table.js';

/** The order of the rows of a table. */
export interface Sorting {
  /** The title of a column. */
  readonly by: string;
  readonly isDescending: boolean;
  readonly sortBy: (title: string, isDescending: boolean) => void;
}

const DESCENDING = '-';

/**
 * Keeps the sorting in the URL: `?sort=-Ready`.
 *
 * @param first the column that rows are sorted by if the URL names none.
 * @param others the parameters of the URL that another order changes too.
 */
export function useSorting(first: string, others: Readonly<Record<string, undefined>> = {}): Sorting {
  const { parameters, change } = useParameters();
  const sort = parameters.get('sort') ?? first;
  const isDescending = sort.startsWith(DESCENDING);
  return {
    by: isDescending ? sort.slice(DESCENDING.length) : sort,
    isDescending,
    sortBy: (title, down) =>
      change({ ...others, sort: title === first && !down ? undefined : `${down ? DESCENDING : ''}${title}` }),
  };
}

/**
 * Sorts rows, unless the server has sorted them. Null comes last in both directions, and equal rows keep their order.
 */
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
    return sign * compare(one, other);
  });
}

/** Compares numbers within texts by their value: `import-2` comes before `import-10`. */
const { compare: compareTexts } = new Intl.Collator(undefined, { numeric: true });

const compare = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : compareTexts(String(one), String(other));

export const canSort = <Row,>({ order, serverOrder }: Column<Row>): boolean =>
  order !== undefined || serverOrder !== undefined;

export function ariaSortOf<Row>({ by, isDescending }: Sorting, column: Column<Row>) {
  if (!canSort(column)) {
    return undefined;
  }
  return column.title !== by ? 'none' : isDescending ? 'descending' : 'ascending';
}

interface SortButtonProps<Row> {
  readonly sorting: Sorting;
  readonly column: Column<Row>;
}

/** Sorts numbers in descending and names in ascending order first; another press reverses the order. */
export function SortButton<Row>({ sorting: { by, isDescending, sortBy }, column }: SortButtonProps<Row>) {
  const { title, isHead = false, isAscendingFirst = isHead } = column;
  const isSorted = title === by;
  return (
    <button
      type="button"
      class={`sort ${isSorted ? 'is-sorted' : ''}`}
      onClick={() => sortBy(title, isSorted ? !isDescending : !isAscendingFirst)}
    >
      {title}
      <Icon name={isSorted && !isDescending ? 'up' : 'down'} />
    </button>
  );
}
