import { useEffect, useRef } from 'preact/hooks';

import { useKeyedCounts, useOverview } from '../../api/queries.js';
import type { JobState, Overview, Total } from '../../contract.js';
import { formatShortCount, formatTotal } from '../../format/numbers.js';
import { STATES, capitalize } from '../../format/labels.js';
import { Link, pathTo } from '../../components/link.js';
import type { JobQuery } from './job-query.js';

/**
 * The states with their numbers of jobs: those with the key of the filter, or else those in its queue.
 */
export function StateTabs({ query }: { readonly query: JobQuery }) {
  const { key, queue, name, tenant } = query;
  const overview = useOverview().data;
  const keyed = useKeyedCounts(key, { queue, name, tenant }).data;
  const countOf = (state: JobState) => {
    const count = keyed?.[state];
    const total = overview && totalOf(overview, state, queue);
    return key === undefined ? total && formatTotal(total) : count && formatShortCount(count);
  };
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the tab may be beyond the edge.
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    tabs.current?.scrollTo({ left: (current?.offsetLeft ?? 0) - 60 });
  }, [query.state]);
  return (
    <nav ref={tabs} class="tabs" aria-label="States">
      <ul>
        {STATES.map((state) => {
          const count = countOf(state);
          return (
            <li key={state}>
              <Link to={pathTo('/jobs', { ...query, cursor: undefined, state })} isCurrent={state === query.state}>
                <span class={`tile-mark mark-${state}`} aria-hidden="true" />
                {capitalize(state)}
                {count && <span class="tab-count number">{count}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function totalOf({ totals, queues }: Overview, state: JobState, queue: string | undefined): Total | undefined {
  return (queue === undefined ? totals : queues.find((known) => known.queue === queue)?.counts)?.[state];
}
