import { bulkOutcome, useBulkEnds, useBulkStop } from '../../api/changes.js';
import { useBulkOperations } from '../../api/queries.js';
import type { BulkOperation } from '../../contract.js';
import { ForOperators } from '../../components/for-operators.js';
import { Since } from '../../components/time.js';
import { ACTIONS } from '../../format/labels.js';
import { formatCount, formatNumber } from '../../format/numbers.js';
import { databaseNow } from '../../format/times.js';
import { visible } from '../../format/visible.js';

const NONE: readonly BulkOperation[] = [];

/** How long an operation is shown after its end, in ms. */
const SHOWN_FOR = 60_000;

/** The bulk operations that run, of all users, and those that have just ended. */
export function BulkProgress() {
  const operations = useBulkOperations().data?.operations ?? NONE;
  useBulkEnds(operations);
  const shown = operations.filter(({ finishedAt }) => finishedAt === null || finishedAt > databaseNow() - SHOWN_FOR);
  return shown.length === 0 ? null : (
    <section class="bulk-progress" aria-label="Bulk operations">
      <ul>
        {shown.map((operation) => (
          <li key={operation.id}>
            {operation.state === 'running' ? <Running operation={operation} /> : <Ended operation={operation} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Running({ operation }: { readonly operation: BulkOperation }) {
  const { id, action, jobs, total, changed, skipped, startedAt } = operation;
  const stop = useBulkStop();
  const name = `${ACTIONS[action].doing} ${visible(jobs)}${detailOf(operation)}`;
  const done = changed + skipped;
  return (
    <>
      <p>
        <b>{name}</b>
        <span class="quiet">
          {' '}
          · {total ? `${formatNumber(done)} of ${formatCount(total)}` : 'counting'}
          {skipped > 0 && `, ${formatNumber(skipped)} skipped`} · <Since at={startedAt} />
          {byOf(operation)}
        </span>
      </p>
      <progress aria-label={name} max={total?.count || 1} {...(total && { value: Math.min(done, total.count) })} />
      <ForOperators>
        <button type="button" class="button" disabled={stop.isPending} onClick={() => stop.mutate(id)}>
          Stop
        </button>
      </ForOperators>
    </>
  );
}

function Ended({ operation }: { readonly operation: BulkOperation }) {
  return (
    <p>
      <b>{visible(operation.jobs)}</b>
      <span class="quiet">
        {' '}
        · {bulkOutcome(operation)}
        {byOf(operation)}
      </span>
    </p>
  );
}

const byOf = ({ who }: BulkOperation): string => (who === null ? '' : ` · ${visible(who)}`);

const detailOf = ({ priority, to }: BulkOperation): string =>
  `${priority === null ? '' : ` to ${priority}`}${to === null ? '' : ` to ${to}`}`;
