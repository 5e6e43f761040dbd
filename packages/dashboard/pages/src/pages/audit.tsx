import { useAudit } from '../api/queries.js';
import type { AuditEntry } from '../contract.js';
import { Badge } from '../parts/badge.js';
import { Link, jobPath } from '../parts/link.js';
import { Page } from '../parts/page.js';
import { Empty, Load } from '../parts/states.js';
import { type Column, Table } from '../parts/table.js';
import { Moment } from '../parts/time.js';

const JOB = /^(?:job )?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', class: 'when', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Who', cell: ({ who }) => who ?? <span class="quiet">somebody</span> },
  { title: 'What', isHead: true, cell: ({ action }) => action },
  {
    title: 'On',
    cell: ({ target }) => <Target target={target} />,
  },
  { title: 'Detail', class: 'detail', cell: ({ detail }) => detail ?? <span class="quiet">–</span> },
  {
    title: 'Outcome',
    cell: ({ outcome }) => (/fail|refus|error/i.test(outcome) ? <Badge tone="bad">{outcome}</Badge> : outcome),
  },
];

function Target({ target }: { readonly target: string }) {
  const id = JOB.exec(target)?.[1];
  return id === undefined ? (
    <>{target}</>
  ) : (
    <Link to={jobPath(id)}>
      job <code title={id}>…{id.slice(-12)}</code>
    </Link>
  );
}

export function AuditLog() {
  const audit = useAudit();
  return (
    <Page title="Audit">
      <Load from={audit} lines={8}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          return entries.length === 0 ? (
            <Empty icon="audit" title="Nobody has changed anything">
              <p>Whatever is done with these pages is listed here: who, when, and what came of it.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Actions, the newest first" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
              {audit.hasNextPage && (
                <div class="pager">
                  <button
                    type="button"
                    class="button"
                    disabled={audit.isFetchingNextPage}
                    onClick={() => void audit.fetchNextPage()}
                  >
                    {audit.isFetchingNextPage ? 'Reading …' : 'Show older'}
                  </button>
                </div>
              )}
            </>
          );
        }}
      </Load>
    </Page>
  );
}
