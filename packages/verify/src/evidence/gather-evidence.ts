import { TableQueueJob } from '@tablequeue/typeorm';
import { TableQueueGroup, isLive } from '@tablequeue/typeorm/internal';
import { type DataSource, type FindOptionsOrder, type FindOptionsSelect, IsNull, type ObjectLiteral } from 'typeorm';

import { answered } from '../answered.js';
import type { FaultTarget } from '../faults/fault-context.js';
import type { InjectedFault } from '../faults/injected-faults.js';
import type { RecordedEntry } from '../journal/read-journals.js';
import { type Payload, tickJob } from '../workload/definitions.js';
import { tokenOf } from '../workload/events.js';
import { EffectRow, OrderRow } from '../workload/verify-tables.js';
import { EvidenceCollector, type PauseEntry } from './evidence-collector.js';
import { Evidence } from './evidence.js';
import type { ProcessEvidence, UnsettledState } from './gathered-evidence.js';
import type { Stall } from './server-heartbeat.js';

/** How many rows of a table are in memory at a time. */
const ROWS = 10_000;

/** The evidence that is not in the database. */
export interface RecordedRun {
  /** In the order in which they were recorded. They are read once, and not kept. */
  readonly entries: Iterable<RecordedEntry>;
  readonly faults: readonly InjectedFault[];
  readonly processes: readonly ProcessEvidence[];
  readonly problems: readonly string[];
  readonly unsettled: readonly UnsettledState[];
  readonly stalls: readonly Stall[];
  readonly lease: number;
}

/** Combines the rows of the database with the records of the processes. */
export async function gatherEvidence(dataSource: DataSource, run: RecordedRun): Promise<Evidence> {
  const { entries, faults, processes, problems, unsettled, stalls, lease } = run;
  const collector = new EvidenceCollector();
  for (const entry of entries) {
    collector.addEntry(entry);
  }

  const columns = {
    id: true,
    name: true,
    state: true,
    attempt: true,
    payload: true,
    failures: true,
    createdAt: true,
    runAt: true,
    claimedAt: true,
    finishedAt: true,
  } as const;
  for await (const row of rowsOf(dataSource, TableQueueJob, { id: 'ASC' }, columns)) {
    const { state, attempt, failures, createdAt, runAt, claimedAt, finishedAt } = row;
    if (!isLive(state)) {
      const final = { state, attempt, failures, createdAt, runAt, claimedAt: claimedAt || null, finishedAt };
      collector.findOrAddJob(row.id, row.name, payloadOf(row)).final = final;
    } else if (row.name !== tickJob.name) {
      collector.findOrAddJob(row.id, row.name, payloadOf(row)).live = { state, attempt };
    }
  }
  const openGroups = await answered('read the open groups', () =>
    dataSource.getRepository(TableQueueGroup).findBy({ finishedAt: IsNull() }),
  );
  const orders = new Set<string>();
  for await (const { token } of rowsOf(dataSource, OrderRow, { token: 'ASC' })) {
    orders.add(token);
  }
  const effects = new Map<string, number[]>();
  for await (const { token, attempt } of rowsOf(dataSource, EffectRow, { number: 'ASC' })) {
    effects.set(token, [...(effects.get(token) ?? []), attempt]);
  }
  const { jobs, enqueues, groups, transactions, subscribedAt, cancelled, pauses } = collector;
  return new Evidence({
    jobs,
    enqueues,
    groups,
    openGroups: openGroups.map(({ id }) => id),
    transactions,
    subscribedAt,
    cancelled,
    orders,
    effects,
    faults: [...faults, ...unplannedPauses(pauses, stalls, faults)],
    processes,
    problems,
    unsettled,
    lease,
    hasOneLock: dataSource.options.type === 'better-sqlite3',
    isGalera: await isGalera(dataSource),
  });
}

async function isGalera(dataSource: DataSource): Promise<boolean> {
  if (dataSource.options.type === 'better-sqlite3') {
    return false;
  }
  const ask = () => dataSource.query("SHOW VARIABLES LIKE 'wsrep_on'") as Promise<{ readonly Value: string }[]>;
  const rows = await answered('read a variable', ask);
  return rows[0]?.Value === 'ON';
}

/** Yields all rows of a table, in a total order. The table must not change meanwhile. */
async function* rowsOf<Row extends ObjectLiteral>(
  dataSource: DataSource,
  entity: new () => Row,
  order: FindOptionsOrder<Row>,
  select?: FindOptionsSelect<Row>,
): AsyncGenerator<Row, void, undefined> {
  for (let skip = 0; ; skip += ROWS) {
    const rows = await answered(`read the rows of ${entity.name}`, () =>
      dataSource.getRepository(entity).find({ ...(select && { select }), order, skip, take: ROWS }),
    );
    yield* rows;
    if (rows.length < ROWS) {
      return;
    }
  }
}

function payloadOf({
  id,
  name,
  payload,
}: Pick<TableQueueJob, 'id' | 'name' | 'payload'>): Pick<Payload, 'token' | 'key'> {
  const content = JSON.parse(payload ?? '{}') as Payload;
  return { ...content, token: tokenOf(name, id, content) };
}

/** Returns the pauses that no fault made: a process or server without CPU pauses as after SIGSTOP. */
function unplannedPauses(
  pauses: readonly PauseEntry[],
  stalls: readonly Stall[],
  faults: readonly InjectedFault[],
): InjectedFault[] {
  const all = [
    ...pauses.map(({ process, at, ms }) => pause([process], 'nothing happened', at - ms, at)),
    ...stalls.map(({ from, to }) => pause('everyone', 'the server committed nothing', from, to)),
  ];
  return all.filter(({ target, from, to }) => {
    return !faults.some((fault) => {
      return fault.allows.includes('rerun') && isTarget(target, fault) && fault.from <= to && fault.to >= from;
    });
  });
}

function pause(target: FaultTarget, what: string, from: number, to: number): InjectedFault {
  const detail = `${what} for ${Math.round(to - from)} ms`;
  return { fault: UNPLANNED_PAUSE, allows: ['rerun', 'delay'], target, detail, from, to };
}

/** Returns whether a fault hit the server (a fault of everyone), or all of these processes. */
function isTarget(what: FaultTarget, { target }: InjectedFault): boolean {
  return what === 'everyone' || target === 'everyone'
    ? target === what
    : what.every((process) => target.includes(process));
}

/** The name of the pauses that no fault made. */
export const UNPLANNED_PAUSE = 'unplanned-pause';
