import { PageLinks } from '../../components/page-links.js';
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

/** How many jobs the page shows, and the links to other pages of the list. */
export function Pager({ query, shown, next, search }: PagerProps) {
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
      <PageLinks path="/jobs" query={{ ...query }} next={search.isUnfinished ? null : next} />
      {search.isUnfinished && (
        <button
          type="button"
          class={`button ${search.isRunning ? '' : 'button-main'}`}
          onClick={search.isRunning ? search.stop : search.resume}
        >
          {search.isRunning ? 'Stop searching' : 'Continue searching'}
        </button>
      )}
    </nav>
  );
}
