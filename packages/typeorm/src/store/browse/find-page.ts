import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { browseFailures } from './browse-failures.js';
import { browseHistory } from './browse-history.js';
import { browseByKey } from './browse-by-key.js';
import { LaneBrowser } from './lane-browser.js';
import { type BrowseFilter, type BrowsePage, type BrowseCursor, LAST_TIME, isLive } from './browse-filter.js';

/** Every way begins here. */
export const BROWSE_START: BrowseCursor = { at: LAST_TIME, id: BEHIND_ALL_IDS };

/**
 * Finds the wanted ones among the next jobs of a way.
 *
 * @param most how many are looked at, or a few more.
 */
export type FindPage = (dialect: Dialect, after: BrowseCursor, most: number) => Operation<BrowsePage>;

/** The way along which jobs of a filter are looked for: the one that has the fewest others on it. */
export function pageFinderFor(filter: BrowseFilter): FindPage {
  const { state, key } = filter;
  if (key !== null) {
    return (dialect, after, most) => browseByKey(dialect, { ...filter, key }, after, most);
  }
  if (isLive(state)) {
    const lanes = new LaneBrowser(filter);
    return (dialect, after, most) => lanes.nextPage(dialect, after, most);
  }
  return state === 'failed'
    ? (dialect, after, most) => browseFailures(dialect, filter, after, most)
    : (dialect, after, most) => browseHistory(dialect, filter, after, most);
}
