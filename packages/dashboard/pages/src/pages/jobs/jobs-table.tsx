import type { JobRow } from '../../contract.js';
import { type Column, Table } from '../../tables/table.js';
import { columnsOf } from './columns.js';
import type { JobQuery } from './job-query.js';
import { orderOf } from './list-order.js';
import type { Selection } from './selection.js';

interface JobsTableProps {
  readonly query: JobQuery;
  readonly rows: readonly JobRow[];
  /** Undefined if no action is allowed. */
  readonly selection: Selection | undefined;
  /** Whether other pages may have matching jobs. */
  readonly hasMore: boolean;
}

export function JobsTable({ query, rows, selection, hasMore }: JobsTableProps) {
  const { state } = query;
  const ids = rows.map(({ id }) => id);
  const isWhole = selection !== undefined && ids.every((id) => selection.ids.has(id));
  return (
    <>
      {selection && isWhole && hasMore && (
        <p class="select-all">
          {selection.isAll ? 'All jobs that match are selected, including other pages.' : 'This page is selected.'}{' '}
          <button type="button" class="button-link" onClick={selection.isAll ? selection.clear : selection.all}>
            {selection.isAll ? 'Clear selection' : 'Select all that match'}
          </button>
        </p>
      )}
      <Table
        caption={`Jobs, ${state}, ${orderOf(query)}`}
        columns={selection ? [selectColumn(selection, ids, isWhole), ...columnsOf(state)] : columnsOf(state)}
        rows={rows}
        keyOf={({ id }) => id}
        rowClass={({ id }) => (selection?.ids.has(id) ? 'is-selected' : undefined)}
        rowId={({ id }) => id}
      />
    </>
  );
}

function selectColumn(selection: Selection, ids: readonly string[], isWhole: boolean): Column<JobRow> {
  return {
    title: 'Selected',
    class: 'select',
    head: (
      <input
        type="checkbox"
        aria-label="Select all jobs of this page"
        checked={isWhole}
        ref={(box) => {
          if (box) {
            box.indeterminate = !isWhole && selection.count > 0;
          }
        }}
        onChange={() => selection.set(isWhole ? [] : ids)}
      />
    ),
    cell: ({ id, name }) => (
      <input
        type="checkbox"
        aria-label={`Select ${name} ${id.slice(-6)}`}
        checked={selection.ids.has(id)}
        onClick={(event) => (event.shiftKey ? selection.toggleRange(id, ids) : selection.toggle(id))}
      />
    ),
  };
}
