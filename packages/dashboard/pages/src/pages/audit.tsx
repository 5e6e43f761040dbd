import { useAudit } from '../api/queries.js';
import type { AuditEntry } from '../contract.js';
import { Badge } from '../components/badge.js';
import { Link, jobPath } from '../components/link.js';
import { Page } from '../components/page.js';
import { ShowMore } from '../components/show-more.js';
import { Empty, Load } from '../components/load.js';
import { type Column, Table } from '../tables/table.js';
import { Moment } from '../components/time.js';

const JOB = /^(?:job )?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', class: 'when', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Who', cell: ({ who }) => who ?? <span class="quiet">unknown</span> },
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
            <Empty icon="audit" title="No changes yet">
              <p>Manual actions are listed here, with the user, the time and the outcome.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Actions, the newest first" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
              <ShowMore from={audit} label="Show older" />
            </>
          );
        }}
      </Load>
    </Page>
  );
}
