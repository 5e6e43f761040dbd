import { forEachBatch } from '../../async/batches.js';
import { isJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import type { BrowseFilter, BrowseCursor } from '../../store/browse/browse-filter.js';
import { pageFinderFor } from '../../store/browse/find-page.js';

/** A search ends after examining this many jobs, or what takes as long. See docs/decisions/0071. */
const MOST_EXAMINED = 5_000;

/** Each statement of a search examines this many times as many jobs as the one before: few large ones cost less. */
const GROWTH = 16;

export interface FoundJobs {
  readonly jobs: readonly BrowseCursor[];
  /** Where the next page starts; undefined after the last one. */
  readonly next: BrowseCursor | undefined;
}

/**
 * Finds jobs after a cursor, until `limit` are found or its time is used up.
 *
 * @param limit how many jobs it returns at most.
 */
export async function searchJobs(
  engine: Engine,
  filter: BrowseFilter,
  start: BrowseCursor,
  limit: number,
): Promise<FoundJobs> {
  const found: BrowseCursor[] = [];
  const findPage = pageFinderFor(filter);
  let cost = 0;
  let most = Math.min(limit, MOST_EXAMINED);
  let end: BrowseCursor | undefined;
  await forEachBatch(start, async (after) => {
    const page = await executeRead(engine, 'find jobs', (dialect) => findPage(dialect, after, most));
    found.push(...page.wanted);
    cost += page.cost;
    most = Math.min(most * GROWTH, MOST_EXAMINED - cost);
    end = page.end;
    return found.length < limit && cost < MOST_EXAMINED ? end : undefined;
  });
  const jobs = found.slice(0, limit);
  return { jobs, next: found.length > limit ? jobs.at(-1) : end };
}

/** Returns a cursor as text, for `next` of a page. */
export function textOfCursor({ at, id }: BrowseCursor): string {
  return `${at}.${uuidFromBytes(id)}`;
}

/** @throws InvalidOptionError for a text that no page has returned. */
export function cursorFromText(cursor: unknown): BrowseCursor {
  const [, at, id] = /^(-?\d{1,16})\.(.+)$/.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  if (!isJobId(id)) {
    throw new InvalidOptionError('after', cursor, 'the "next" of a page');
  }
  return { at: Number(at), id: uuidToBytes(id) };
}
