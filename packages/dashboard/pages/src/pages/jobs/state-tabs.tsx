import { useEffect, useRef } from 'preact/hooks';

import { useKeyedCounts, useOverview } from '../../api/queries.js';
import type { Count, JobState, Overview } from '../../contract.js';
import { formatShortCount } from '../../format/numbers.js';
import { STATES, capitalised } from '../../format/words.js';
import { Link, pathTo } from '../../parts/link.js';
import type { Wanted } from './filter.js';

/**
 * The states, with how many jobs each has: of a key that is looked for, whatever their state, or else in the queue that is
 * looked at; of ended jobs nobody counts all.
 */
export function StateTabs({ wanted }: { readonly wanted: Wanted }) {
  const { key, queue, name, tenant } = wanted;
  const overview = useOverview().data;
  const keyed = useKeyedCounts(key, { queue, name, tenant }).data;
  const countOf = (state: JobState) =>
    key === undefined ? overview && liveCount(overview, state, queue) : keyed?.[state];
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
          const count = countOf(state);
          return (
            <li key={state}>
              <Link to={pathTo('/jobs', { ...wanted, cursor: undefined, state })} isCurrent={state === wanted.state}>
                <span class={`tile-mark mark-${state}`} aria-hidden="true" />
                {capitalised(state)}
                {count && <span class="tab-count number">{formatShortCount(count)}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function liveCount({ totals, queues }: Overview, state: JobState, queue: string | undefined): Count | undefined {
  const counts = queue === undefined ? totals : queues.find((known) => known.queue === queue)?.counts;
  return counts && state in counts ? counts[state as keyof typeof counts] : undefined;
}
