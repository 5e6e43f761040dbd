import { useEffect, useRef } from 'preact/hooks';

import { useJobs } from '../../api/queries.js';
import { useKeys } from '../../parts/keys.js';
import { Page } from '../../parts/page.js';
import { Load } from '../../parts/states.js';
import { BulkBar } from './bulk-bar.js';
import { isFiltered, useFilter, useWanted } from './filter.js';
import { Filters } from './filters.js';
import { JobsTable } from './jobs-table.js';
import { NoJobs } from './no-jobs.js';
import { Pager } from './pager.js';
import { useRowKeys } from './row-keys.js';
import { useSearchOn } from './search-on.js';
import { useSelection } from './selection.js';
import { StateTabs } from './state-tabs.js';

export function Jobs() {
  const { wanted, change, clear } = useWanted();
  const shown = JSON.stringify(wanted);
  const selection = useSelection(shown);
  const isSearchedOn = useRef(false);
  const filter = useFilter(wanted, selection.count > 0 || wanted.cursor !== undefined || isSearchedOn.current);
  const jobs = useJobs(filter, wanted.cursor, selection.count > 0);
  const search = useSearchOn(jobs, shown, selection.count > 0);
  isSearchedOn.current = (jobs.data?.pages.length ?? 0) > 1;
  const actions = jobs.data?.pages[0]?.actions ?? [];
  // What is shown while others are looked for does not match what is asked for: nothing is done to it.
  const mayAct = actions.length > 0 && !jobs.isPlaceholderData;
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useRowKeys(list, mayAct ? selection.toggle : undefined);
  useKeys({ '/': () => field.current?.focus(), Escape: selection.clear });
  useEffect(() => {
    if (new URLSearchParams(location.search).has('focus')) {
      field.current?.focus();
    }
  }, []);

  return (
    <Page title="Jobs" tab={`Jobs, ${wanted.state}`}>
      <StateTabs wanted={wanted} />
      <Filters wanted={wanted} change={change} clear={clear} search={field} />
      <p class="unseen" role="status">
        {search.news}
      </p>
      <Load from={{ ...jobs, refetch: jobs.isFetchNextPageError ? jobs.fetchNextPage : jobs.refetch }} lines={10}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.jobs);
          const next = pages.at(-1)?.next ?? null;
          return (
            <div ref={list} class={jobs.isPlaceholderData ? 'is-old' : undefined} aria-busy={jobs.isPlaceholderData}>
              {rows.length > 0 ? (
                <JobsTable
                  wanted={wanted}
                  rows={rows}
                  selection={mayAct ? selection : undefined}
                  hasMore={next !== null || wanted.cursor !== undefined}
                />
              ) : (
                <NoJobs
                  wanted={wanted}
                  isUnfinished={search.isUnfinished}
                  isFiltered={isFiltered(wanted)}
                  clear={clear}
                />
              )}
              <Pager wanted={wanted} shown={rows.length} next={next} search={search} />
            </div>
          );
        }}
      </Load>
      {mayAct && selection.count > 0 && <BulkBar filter={filter} actions={actions} selection={selection} />}
    </Page>
  );
}
