import type { ActionOptions } from '../../action-options.js';
import { defined } from '../../defined.js';
import { assertJobId, BEFORE_ALL_IDS, newJobId } from '../../definition/job-id.js';
import { assertQueueName } from '../../definition/names.js';
import { PRIORITY_RANGE } from '../../definition/priority-range.js';
import type { QueueName } from '../../definition/queue-name.js';
import { assertUnreservedQueue } from '../../definition/reserved-queues.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, assertList, wholeNumber } from '../../options.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import type { NewOperation } from '../../store/bulk/insert-operation.js';
import { AUDIT_LENGTH } from '../../tables/audit.js';
import type { BulkAction } from '../jobs/act-on-jobs.js';
import { BULK_ACTIONS, resolveFilter } from '../jobs/job-actions.js';
import type { JobFilter } from '../jobs/job-filter.js';

/** What `bulk.start` does to which jobs. */
export interface BulkRequest extends ActionOptions {
  /**
   * - `retry`: failed, cancelled or expired jobs.
   * - `cancel`: unfinished jobs.
   * - `delete`: finished jobs.
   * - `priority`: unfinished jobs that do not run.
   * - `move`: the same, to another queue.
   * - `run-now`: scheduled jobs.
   * - `skip`: failed jobs that block their order key.
   */
  readonly action: BulkAction;
  /** All jobs that match. Either this or `ids`. */
  readonly filter?: JobFilter;
  /** These jobs: 1 to 1,000 ids. */
  readonly ids?: readonly string[];
  /** For `priority`: a whole number from -500 to 500; smaller ones run first. */
  readonly priority?: number;
  /** For `move`: the new queue. */
  readonly to?: QueueName;
}

/** The most ids of one operation. */
const MOST_OF_IDS = 1_000;

/** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
export function resolveBulkRequest(request: BulkRequest): NewOperation {
  assertKnownOptions(request, ['action', 'filter', 'ids', 'priority', 'to', 'by']);
  const { action, filter, ids, priority, to, by = null } = request;
  if (!BULK_ACTIONS.includes(action)) {
    throw new InvalidOptionError('action', action, `one of ${BULK_ACTIONS.join(', ')}`);
  }
  if ((filter === undefined) === (ids === undefined)) {
    throw new InvalidOptionError('filter', filter, 'a filter, or undefined with "ids"');
  }
  if (by !== null && (typeof by !== 'string' || by === '' || by.length > AUDIT_LENGTH.who)) {
    throw new InvalidOptionError('by', by, `a text of 1 to ${AUDIT_LENGTH.who} characters, or null`);
  }
  if (action === 'priority') {
    wholeNumber('priority', priority, PRIORITY_RANGE.first, PRIORITY_RANGE.last);
  } else if (priority !== undefined) {
    throw new InvalidOptionError('priority', priority, `undefined for "${action}"`);
  }
  if (action === 'move') {
    assertQueueName(to);
    assertUnreservedQueue('to', to);
  } else if (to !== undefined) {
    throw new InvalidOptionError('to', to, `undefined for "${action}"`);
  }
  const known = { id: newJobId(), action, priority: priority ?? null, targetQueue: to ?? null, who: by };
  if (filter !== undefined) {
    resolveFilter(action, filter);
    if (action === 'move') {
      // They would all be skipped: see `moveJobs`.
      assertUnreservedQueue('filter.queue', filter.queue);
    }
    return { ...known, filter: JSON.stringify(defined({ ...filter })), total: null, cursor: BROWSE_START };
  }
  assertList('ids', ids, 'a list of ids', 1);
  const distinct = [...new Set(ids as readonly string[])];
  distinct.forEach(assertJobId);
  if (distinct.length > MOST_OF_IDS) {
    throw new InvalidOptionError('ids', `${distinct.length} ids`, `up to ${MOST_OF_IDS} ids, or a filter`);
  }
  const cursor = { at: 0, id: BEFORE_ALL_IDS };
  return { ...known, filter: JSON.stringify({ ids: distinct.sort() }), total: distinct.length, cursor };
}
