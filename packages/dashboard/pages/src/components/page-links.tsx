import { useHistoryState } from 'wouter-preact/use-browser-location';

import { Icon } from './icon.js';
import { Link, type Parameters, pathTo } from './link.js';

interface PageLinksProps {
  readonly path: string;
  /** The parameters of the shown page. `cursor` is undefined on the first page. */
  readonly query: Parameters;
  /** The cursor of the next page, if it can be shown. */
  readonly next: string | null;
}

/** Links to other pages of a list. The previous page is known only if the user came from it. */
export function PageLinks({ path, query, next }: PageLinksProps) {
  const trail = usePreviousPages();
  const previous = trail.at(-1);
  return (
    <>
      {query.cursor !== undefined && (
        <>
          <Link to={pathTo(path, { ...query, cursor: undefined })} class="button">
            First page
          </Link>
          {previous !== undefined && (
            <Link
              to={pathTo(path, { ...query, cursor: previous })}
              state={{ trail: trail.slice(0, -1) } satisfies PreviousPages}
              class="button"
            >
              <Icon name="previous" />
              Previous page
            </Link>
          )}
        </>
      )}
      {next !== null && (
        <Link
          to={pathTo(path, { ...query, cursor: next })}
          state={{ trail: [...trail, String(query.cursor ?? '')] } satisfies PreviousPages}
          class="button"
        >
          Next page
          <Icon name="next" />
        </Link>
      )}
    </>
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
