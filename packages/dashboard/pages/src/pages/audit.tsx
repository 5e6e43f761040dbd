import { useState } from 'preact/hooks';

import { type AuditFilter, useAudit } from '../api/queries.js';
import type { AuditEntry } from '../contract.js';
import { Badge } from '../components/badge.js';
import { Link, jobPath, pathTo } from '../components/link.js';
import { Page } from '../components/page.js';
import { ShowMore } from '../components/show-more.js';
import { Empty, Load } from '../components/load.js';
import { ACTIONS } from '../format/labels.js';
import { visible } from '../format/visible.js';
import { type Column, Table } from '../tables/table.js';
import { Moment } from '../components/time.js';

const JOB = /^(?:job )?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;
const ERROR = /^error ([0-9a-f]{16})$/;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', class: 'when', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Who', cell: ({ who }) => (who === null ? <span class="quiet">unknown</span> : visible(who)) },
  { title: 'What', isHead: true, cell: ({ action }) => visible(verbOf(action)) },
  {
    title: 'On',
    cell: ({ target }) => <Target target={target} />,
  },
  {
    title: 'Detail',
    class: 'detail',
    cell: ({ detail }) => (detail === null ? <span class="quiet">–</span> : visible(detail)),
  },
  {
    title: 'Outcome',
    cell: ({ outcome }) => (/fail|refus|error/i.test(outcome) ? <Badge tone="bad">{outcome}</Badge> : outcome),
  },
];

function Target({ target }: { readonly target: string }) {
  const fingerprint = ERROR.exec(target)?.[1];
  if (fingerprint !== undefined) {
    return <Link to={pathTo('/jobs', { state: 'failed', fingerprint })}>{target}</Link>;
  }
  const id = JOB.exec(target)?.[1];
  return id === undefined ? (
    <>{visible(target)}</>
  ) : (
    <Link to={jobPath(id)}>
      job <code title={id}>…{id.slice(-12)}</code>
    </Link>
  );
}

/** Further actions of the audit log: on queues, schedules, workers, bulk operations, durable jobs and errors. */
const OTHERS: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  limit: 'Limit',
  fire: 'Run a schedule',
  signal: 'Signal',
  enqueue: 'Enqueue',
  copy: 'Copy',
  reschedule: 'Reschedule',
  mute: 'Mute',
  unmute: 'Unmute',
  quiet: 'Quiet a worker',
  stop: 'Stop',
};

const verbOf = (action: string): string => VERBS[action] ?? action;

const VERBS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(ACTIONS).map(([action, { verb }]) => [action, verb])),
  ...OTHERS,
};

export function AuditLog() {
  const [filter, setFilter] = useState<AuditFilter>({});
  const audit = useAudit(filter);
  const isFiltered = filter.action !== undefined || filter.who !== undefined;
  const change = (name: keyof AuditFilter, value: string) =>
    setFilter(({ [name]: _old, ...others }) => (value === '' ? others : { ...others, [name]: value }));
  return (
    <Page title="Audit">
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>What</span>
          <select value={filter.action ?? ''} onChange={({ currentTarget }) => change('action', currentTarget.value)}>
            <option value="">All actions</option>
            {Object.entries(VERBS).map(([action, verb]) => (
              <option key={action} value={action}>
                {verb}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Who</span>
          <input
            type="search"
            placeholder="whole name"
            value={filter.who ?? ''}
            onChange={({ currentTarget }) => change('who', currentTarget.value.trim())}
          />
        </label>
      </form>
      <Load from={audit} lines={8}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          return entries.length === 0 ? (
            <Empty icon="audit" title={isFiltered ? 'No change matches' : 'No changes yet'}>
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
