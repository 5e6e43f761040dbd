import { Icon } from '../../parts/icon.js';
import { Link, pathTo } from '../../parts/link.js';
import { formatJobs } from '../../format/numbers.js';
import type { Wanted } from './filter.js';

interface PagerProps {
  readonly wanted: Wanted;
  readonly shown: number;
  readonly next: string | null;
  readonly isPartial: boolean;
  readonly isSearching: boolean;
  readonly searchOn: () => void;
}

export function Pager({ wanted, shown, next, isPartial, isSearching, searchOn }: PagerProps) {
  const isDeep = wanted.cursor !== undefined;
  if (!isDeep && next === null && shown === 0) {
    return null;
  }
  return (
    <nav class="pager" aria-label="Older and newer jobs">
      <p class="quiet">
        {formatJobs(shown)}
        {isPartial && ' found so far'}
        {!isPartial && next === null && !isDeep && ', no more'}
      </p>
      {isDeep && (
        <>
          <Link to={pathTo('/jobs', { ...wanted, cursor: undefined })} class="button">
            Newest
          </Link>
          <button type="button" class="button" onClick={() => history.back()}>
            <Icon name="previous" />
            Newer
          </button>
        </>
      )}
      {isPartial && (
        <button type="button" class="button button-main" disabled={isSearching} onClick={searchOn}>
          {isSearching ? 'Searching …' : 'Search on'}
        </button>
      )}
      {!isPartial && next !== null && (
        <Link to={pathTo('/jobs', { ...wanted, cursor: next })} class="button">
          Older
          <Icon name="next" />
        </Link>
      )}
    </nav>
  );
}
