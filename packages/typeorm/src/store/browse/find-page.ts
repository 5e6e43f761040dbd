import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { browseByKey } from './browse-by-key.js';
import { type BrowseCursor, type BrowseFilter, type BrowsePage, LAST_TIME } from './browse-filter.js';
import { LaneBrowser } from './lane-browser.js';

/** The start of every listing. */
export const BROWSE_START: BrowseCursor = { at: LAST_TIME, id: BEHIND_ALL_IDS };

/**
 * Finds the matching jobs of the next page.
 *
 * @param most how many jobs are examined, or a few more.
 */
export type FindPage = (dialect: Dialect, after: BrowseCursor, most: number) => Operation<BrowsePage>;

/** Returns the search for a filter along the index with the fewest other jobs. */
export function pageFinderFor(filter: BrowseFilter): FindPage {
  const { key } = filter;
  if (key !== null) {
    return (dialect, after, most) => browseByKey(dialect, { ...filter, key }, after, most);
  }
  const lanes = new LaneBrowser(filter);
  return (dialect, after, most) => lanes.nextPage(dialect, after, most);
}
