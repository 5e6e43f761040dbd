import { useHistoryState } from 'wouter-preact/use-browser-location';

import { Icon } from '../../components/icon.js';
import { Link, pathTo } from '../../components/link.js';
import { formatJobs, formatNumber } from '../../format/numbers.js';
import type { ContinuedSearch } from './continued-search.js';
import type { JobQuery } from './job-query.js';
import { orderOf } from './list-order.js';

interface PagerProps {
  readonly query: JobQuery;
  readonly shown: number;
  readonly next: string | null;
  readonly search: ContinuedSearch;
}

/** Links to other pages of the list. The previous page is known only if the user came from it. */
export function Pager({ query, shown, next, search }: PagerProps) {
  const trail = usePreviousPages();
  const previous = trail.at(-1);
  const isDeep = query.cursor !== undefined;
  if (!isDeep && next === null && shown === 0) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Pages of the list">
      <p class="quiet">
        {formatJobs(shown)}
        {search.isUnfinished && ` found so far, in at least ${formatNumber(search.jobsRead)} jobs`}, {orderOf(query)}
        {next === null && !isDeep && ', no more'}
      </p>
      {isDeep && (
        <>
          <Link to={pathTo('/jobs', { ...query, cursor: undefined })} class="button">
            First page
          </Link>
          {previous !== undefined && (
            <Link
              to={pathTo('/jobs', { ...query, cursor: previous })}
              state={{ trail: trail.slice(0, -1) } satisfies PreviousPages}
              class="button"
            >
              <Icon name="previous" />
              Previous page
            </Link>
          )}
        </>
      )}
      {search.isUnfinished && (
        <button
          type="button"
          class={`button ${search.isRunning ? '' : 'button-main'}`}
          onClick={search.isRunning ? search.stop : search.resume}
        >
          {search.isRunning ? 'Stop searching' : 'Continue searching'}
        </button>
      )}
      {!search.isUnfinished && next !== null && (
        <Link
          to={pathTo('/jobs', { ...query, cursor: next })}
          state={{ trail: [...trail, query.cursor ?? ''] } satisfies PreviousPages}
          class="button"
        >
          Next page
          <Icon name="next" />
        </Link>
      )}
    </nav>
  );
}

/** The cursors of the previous pages, starting with the empty one of the first page. */
interface PreviousPages {
  readonly trail: readonly string[];
}

/** Reads them from the entry of the browser's history. A shared link has none. */
function usePreviousPages(): readonly string[] {
  return useHistoryState<Partial<PreviousPages> | null>()?.trail ?? [];
}
