import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { SortButton, type Sorting, ariaSortOf, canSort, sortedBy } from './sorting.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Whether the cell is the header of the row. */
  readonly isHead?: boolean;
  readonly class?: string;
  /** The content of the header. Default: the title. */
  readonly head?: ComponentChildren;
  /** The value to sort rows by; null comes last. Without it and `serverOrder` the column cannot be sorted. */
  readonly order?: (row: Row) => string | number | null;
  /** The server's name of the order, if the server sorts the rows. */
  readonly serverOrder?: string;
  /** Whether the first press sorts in ascending order. Default: only for the header of the row. */
  readonly isAscendingFirst?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly rowClass?: (row: Row) => string | undefined;
  readonly rowId?: (row: Row) => string;
  /** Set if rows can be sorted. */
  readonly sorting?: Sorting;
}

/**
 * On a narrow screen each row becomes a block, whose elements lose their roles. So the roles are explicit. Firefox takes
 * no name from a caption that is not displayed as one.
 */
export function Table<Row>({ caption, columns, rows, keyOf, rowClass, rowId, sorting }: TableProps<Row>) {
  const sorted = sorting ? sortedBy(sorting, columns, rows) : rows;
  const captionId = useId();
  return (
    <div class="table-frame">
      <table role="table" aria-labelledby={captionId}>
        <caption id={captionId} class="unseen">
          {caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.title}
                role="columnheader"
                scope="col"
                class={classOf(column)}
                aria-sort={sorting && ariaSortOf(sorting, column)}
              >
                {column.head ?? (sorting && canSort(column) ? <SortButton {...{ sorting, column }} /> : column.title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted.map((row) => (
            <tr key={keyOf(row)} role="row" class={rowClass?.(row)} data-job={rowId?.(row)}>
              {columns.map((column) => cellOf(column, row))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellOf<Row>(column: Column<Row>, row: Row) {
  return column.isHead ? (
    <th key={column.title} role="rowheader" scope="row" class={classOf(column)}>
      {column.cell(row)}
    </th>
  ) : (
    <td key={column.title} role="cell" class={classOf(column)} data-label={column.title}>
      {column.cell(row)}
    </td>
  );
}

const classOf = <Row,>(column: Column<Row>): string =>
  [column.isNumber && 'number', column.class].filter(Boolean).join(' ');
