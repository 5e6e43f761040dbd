import { useEffect, useRef } from 'preact/hooks';

import { useKeyedCounts, useOverview, useQueue } from '../../api/queries.js';
import type { JobState } from '../../contract.js';
import { formatShortCount, formatTotal } from '../../format/numbers.js';
import { STATES, capitalize } from '../../format/labels.js';
import { Link, pathTo } from '../../components/link.js';
import type { JobQuery } from './job-query.js';

/**
 * The states with their numbers of jobs: those with the key of the filter, or else those in its queue.
 */
export function StateTabs({ query }: { readonly query: JobQuery }) {
  const { key, queue, name, tenant } = query;
  const all = useOverview().data?.totals;
  const own = useQueue(queue).data?.counts;
  const keyed = useKeyedCounts(key, { queue, name, tenant }).data;
  const countOf = (state: JobState) => {
    const count = keyed?.[state];
    const total = (queue === undefined ? all : own)?.[state];
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
