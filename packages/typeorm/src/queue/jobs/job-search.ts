import { forEachBatch } from '../../async/batches.js';
import { isJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import type { BrowseFilter, BrowseCursor } from '../../store/browse/browse-filter.js';
import { pageFinderFor } from '../../store/browse/find-page.js';

/**
 * After how many jobs that were looked at a search ends, also where it has not found enough. See docs/performance.md
 * ("Browsing") for what 3,000 and 10,000 took.
 */
const MOST_LOOKED_AT = 5_000;

/**
 * Each statement of a search looks at so many times as many jobs as the one before: few large ones cost less than many small
 * ones, see docs/decisions.md ("Browsing reads on from a place, and only so far").
 */
const GROWTH = 16;

/** What a search has found. */
export interface FoundJobs {
  readonly places: readonly BrowseCursor[];
  /** Where to go on; undefined at the end. */
  readonly next: BrowseCursor | undefined;
}

/**
 * Looks for jobs, from a place on, until so many are found or so many were looked at that the call would take long.
 *
 * @param limit how many places it returns at most.
 */
export async function searchJobs(
  engine: Engine,
  filter: BrowseFilter,
  start: BrowseCursor,
  limit: number,
): Promise<FoundJobs> {
  const found: BrowseCursor[] = [];
  const findPart = pageFinderFor(filter);
  let looked = 0;
  let most = Math.min(limit, MOST_LOOKED_AT);
  let end: BrowseCursor | undefined;
  await forEachBatch(start, async (after) => {
    const part = await engine.execute((dialect) => findPart(dialect, after, most), {
      purpose: 'look for jobs',
      readOnly: true,
    });
    found.push(...part.wanted);
    looked += part.examined;
    most = Math.min(most * GROWTH, MOST_LOOKED_AT - looked);
    end = part.end;
    return found.length < limit && looked < MOST_LOOKED_AT ? end : undefined;
  });
  const places = found.slice(0, limit);
  return { places, next: found.length > limit ? places.at(-1) : end };
}

/** A place as text, for who asks for the next page. */
export function textOfCursor({ at, id }: BrowseCursor): string {
  return `${at}.${uuidFromBytes(id)}`;
}

/** @throws InvalidOptionError */
export function cursorFromText(cursor: unknown): BrowseCursor {
  const [, at, id] = /^(-?\d{1,16})\.(.+)$/.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  if (!isJobId(id)) {
    throw new InvalidOptionError('after', cursor, 'the "next" of a page');
  }
  return { at: Number(at), id: uuidToBytes(id) };
}
