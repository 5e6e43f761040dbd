import { useEffect, useRef } from 'preact/hooks';

import { useOverview } from '../../api/queries.js';
import type { JobState, Overview } from '../../contract.js';
import { formatShortCount } from '../../format/numbers.js';
import { STATES, capitalised } from '../../format/words.js';
import { Link, pathTo } from '../../parts/link.js';
import type { Wanted } from './filter.js';

/** The states, with how many jobs each has in the queue that is looked at; of ended jobs nobody counts all. */
export function StateTabs({ wanted }: { readonly wanted: Wanted }) {
  const overview = useOverview().data;
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the tab may be beyond the edge.
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    tabs.current?.scrollTo({ left: (current?.offsetLeft ?? 0) - 60 });
  }, [wanted.state]);
  return (
    <nav ref={tabs} class="tabs" aria-label="States">
      <ul>
        {STATES.map((state) => {
          const count = overview && countOf(overview, state, wanted.queue);
          return (
            <li key={state}>
              <Link to={pathTo('/jobs', { ...wanted, cursor: undefined, state })} isCurrent={state === wanted.state}>
                <span class={`tile-mark mark-${state}`} aria-hidden="true" />
                {capitalised(state)}
                {count && <span class="tab-count number">{count}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function countOf({ totals, queues }: Overview, state: JobState, queue: string | undefined): string | undefined {
  const counts = queue === undefined ? totals : queues.find((known) => known.queue === queue)?.counts;
  const count = counts && state in counts ? counts[state as keyof typeof counts] : undefined;
  return count && formatShortCount(count);
}
