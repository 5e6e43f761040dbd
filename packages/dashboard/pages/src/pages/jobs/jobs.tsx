import { useRef } from 'preact/hooks';

import { useJobs } from '../../api/queries.js';
import { useShortcuts } from '../../state/shortcuts.js';
import { Page } from '../../components/page.js';
import { Load } from '../../components/load.js';
import { BulkBar } from './bulk-bar.js';
import { BulkProgress } from './bulk-progress.js';
import { isFiltered, useFilter, useJobQuery } from './job-query.js';
import { Filters } from './filters.js';
import { JobsTable } from './jobs-table.js';
import { NoJobs } from './no-jobs.js';
import { Pager } from './pager.js';
import { useRowShortcuts } from './row-shortcuts.js';
import { useContinuedSearch } from './continued-search.js';
import { useSelection } from './selection.js';
import { StateTabs } from './state-tabs.js';

export function Jobs() {
  const { query, change, clear } = useJobQuery();
  const shown = JSON.stringify(query);
  const selection = useSelection(shown);
  const isContinued = useRef(false);
  const filter = useFilter(query, selection.count > 0 || query.cursor !== undefined || isContinued.current);
  const jobs = useJobs(filter, query.cursor, selection.count > 0);
  const search = useContinuedSearch(jobs, shown, selection.count > 0);
  isContinued.current = (jobs.data?.pages.length ?? 0) > 1;
  const actions = jobs.data?.pages[0]?.actions ?? [];
  // Placeholder rows do not match the current filter, so they allow no actions.
  const canAct = actions.length > 0 && !jobs.isPlaceholderData;
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useRowShortcuts(list, canAct ? selection.toggle : undefined);
  useShortcuts({ '/': () => field.current?.focus(), Escape: selection.clear });

  return (
    <Page title="Jobs" tab={`Jobs, ${query.state}`}>
      <StateTabs query={query} />
      <Filters query={query} change={change} clear={clear} search={field} />
      <BulkProgress />
      <p class="unseen" role="status">
        {search.announcement}
      </p>
      <Load from={{ ...jobs, refetch: jobs.isFetchNextPageError ? jobs.fetchNextPage : jobs.refetch }} lines={10}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.jobs);
          const next = pages.at(-1)?.next ?? null;
          return (
            <div ref={list} class={jobs.isPlaceholderData ? 'is-old' : undefined} aria-busy={jobs.isPlaceholderData}>
              {rows.length > 0 ? (
                <JobsTable
                  query={query}
                  rows={rows}
                  selection={canAct ? selection : undefined}
                  hasMore={next !== null || query.cursor !== undefined}
                />
              ) : (
                <NoJobs query={query} isUnfinished={search.isUnfinished} isFiltered={isFiltered(query)} clear={clear} />
              )}
              <Pager query={query} shown={rows.length} next={next} search={search} />
            </div>
          );
        }}
      </Load>
      {canAct && selection.count > 0 && <BulkBar filter={filter} actions={actions} selection={selection} />}
    </Page>
  );
}
