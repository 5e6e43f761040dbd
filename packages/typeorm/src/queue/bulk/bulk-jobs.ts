import { forEachBatch } from '../../async/batches.js';
import { uuidToBytes } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import type { JobCount } from '../../store/base/jobs/job-count.js';
import type { BrowseCursor, BrowseFilter } from '../../store/browse/browse-filter.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import type { BulkRow } from '../../store/bulk/bulk-row.js';
import { isLive } from '../../tables/job.js';
import type { BulkAction } from '../jobs/act-on-jobs.js';
import { resolveFilter } from '../jobs/job-actions.js';
import { type FoundJobs, searchJobs } from '../jobs/job-search.js';
import { storedFilterOf } from './bulk-operation.js';

/** How many jobs are found at a time: over many lanes the search costs more than the change of 400 jobs. */
const MOST_AHEAD = 10 * MOST_IDS;

/** Jobs of an operation that were found together, behind a position. */
interface Ahead extends FoundJobs {
  readonly cursor: BrowseCursor;
}

/** Finds the jobs of operations, several steps ahead. Each step has to check again which of them still match. */
export class BulkJobs {
  private readonly ahead = new Map<string, Ahead>();

  constructor(private readonly engine: Engine) {}

  /** The next jobs of an operation, up to 400. */
  async next(row: BulkRow): Promise<FoundJobs> {
    const id = row.id.toString('hex');
    const known = this.ahead.get(id);
    const found = known && isAt(known.cursor, row.cursor) ? known : await this.find(row);
    const jobs = found.jobs.slice(0, MOST_IDS);
    const rest = found.jobs.slice(MOST_IDS);
    const next = rest.length > 0 ? jobs.at(-1) : found.next;
    if (next && rest.length > 0) {
      this.ahead.set(id, { cursor: next, jobs: rest, next: found.next });
    } else {
      this.ahead.delete(id);
    }
    return { jobs, next };
  }

  /** Reads up to 5,000 jobs. */
  private async find(row: BulkRow): Promise<FoundJobs> {
    const stored = storedFilterOf(row);
    if (!('ids' in stored)) {
      return searchJobs(this.engine, bulkFilterOf(row), row.cursor, MOST_AHEAD);
    }
    const left = stored.ids.map((each) => ({ at: 0, id: uuidToBytes(each) }));
    return { jobs: left.filter(({ id }) => isAfter(id, row.cursor)), next: undefined };
  }
}

function isAt(one: BrowseCursor, other: BrowseCursor): boolean {
  return one.at === other.at && one.id.equals(other.id);
}

function isAfter(id: Buffer, cursor: BrowseCursor): boolean {
  return Buffer.compare(id, cursor.id) > 0;
}

/** A count reads this many pages of 5,000 jobs, at most. */
const MOST_PAGES = 1_000;
const PAGE = 5_000;

/**
 * Counts the jobs that an operation matches.
 *
 * @param onPage called after each page; returns whether to go on.
 */
export async function countBulkJobs(
  engine: Engine,
  row: BulkRow,
  onPage: (pages: number) => Promise<boolean>,
): Promise<JobCount> {
  const filter = bulkFilterOf(row);
  let count = 0;
  let pages = 0;
  let next: BrowseCursor | undefined;
  await forEachBatch(BROWSE_START, async (after) => {
    const found = await searchJobs(engine, filter, after, PAGE);
    count += found.jobs.length;
    ({ next } = found);
    return ++pages < MOST_PAGES && (await onPage(pages)) ? next : undefined;
  });
  return { count, isCapped: next !== undefined };
}

/** The filter of an operation: only jobs that matched when it began, and that it has not changed yet. */
export function bulkFilterOf(row: BulkRow): BrowseFilter {
  const { startedAt, priority, targetQueue } = row;
  const filter = resolveFilter(row.action as BulkAction, storedFilterOf(row) as Parameters<typeof resolveFilter>[1]);
  return {
    ...filter,
    // The lane of finished jobs contains the time of their end. A key's jobs are compared with both.
    before: isLive(filter.state) ? filter.before : Math.min(filter.before, startedAt + 1),
    asOf: isLive(filter.state) ? startedAt : null,
    otherThan: priority,
    notIn: targetQueue,
  };
}
