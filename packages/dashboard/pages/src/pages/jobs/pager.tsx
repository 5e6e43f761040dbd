import { Icon } from '../../parts/icon.js';
import { Link, pathTo } from '../../parts/link.js';
import { formatJobs, formatNumber } from '../../format/numbers.js';
import type { Wanted } from './filter.js';
import { orderOf } from './order.js';
import type { SearchOn } from './search-on.js';
import { type Trail, useTrail } from './trail.js';

interface PagerProps {
  readonly wanted: Wanted;
  readonly shown: number;
  readonly next: string | null;
  readonly search: SearchOn;
}

/** The ways to the pages before and behind this one; the one before is known to whoever has come by it. */
export function Pager({ wanted, shown, next, search }: PagerProps) {
  const trail = useTrail();
  const previous = trail.at(-1);
  const isDeep = wanted.cursor !== undefined;
  if (!isDeep && next === null && shown === 0) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Pages of the list">
      <p class="quiet">
        {formatJobs(shown)}
        {search.isUnfinished && ` found so far, of at least ${formatNumber(search.lookedAt)} looked at`},{' '}
        {orderOf(wanted)}
        {next === null && !isDeep && ', no more'}
      </p>
      {isDeep && (
        <>
          <Link to={pathTo('/jobs', { ...wanted, cursor: undefined })} class="button">
            First page
          </Link>
          {previous !== undefined && (
            <Link
              to={pathTo('/jobs', { ...wanted, cursor: previous })}
              state={{ trail: trail.slice(0, -1) } satisfies Trail}
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
          class={`button ${search.isGoing ? '' : 'button-main'}`}
          onClick={search.isGoing ? search.stop : search.goOn}
        >
          {search.isGoing ? 'Stop searching' : 'Search on'}
        </button>
      )}
      {!search.isUnfinished && next !== null && (
        <Link
          to={pathTo('/jobs', { ...wanted, cursor: next })}
          state={{ trail: [...trail, wanted.cursor ?? ''] } satisfies Trail}
          class="button"
        >
          Next page
          <Icon name="next" />
        </Link>
      )}
    </nav>
  );
}
