import { TableQueueJob } from '@tablequeue/typeorm';
import { TableQueueGroup, TableQueueHistory } from '@tablequeue/typeorm/internal';
import { type DataSource, type FindOptionsOrder, type FindOptionsSelect, IsNull, type ObjectLiteral } from 'typeorm';

import type { InjectedFault } from '../faults/injected-faults.js';
import type { FaultTarget } from '../faults/fault-context.js';
import type { Noted } from '../journal/read-journals.js';
import { EffectRow, OrderRow } from '../workload/bench-tables.js';
import type { Payload } from '../workload/definitions.js';
import type { Stall } from './server-heartbeat.js';
import {
  type EnqueueRecord,
  Evidence,
  type GroupRecord,
  type JobEvidence,
  type ProcessEvidence,
  type TransactionRecord,
} from './evidence.js';

type Paused = Extract<Noted, { readonly act: 'paused' }>;

/** How many rows of a table are in memory at a time. */
const ROWS = 10_000;

/** What is not in the database. */
export interface Witnesses {
  /** In the order in which they were made. They are read once, and not kept. */
  readonly notes: Iterable<Noted>;
  readonly faults: readonly InjectedFault[];
  readonly processes: readonly ProcessEvidence[];
  readonly troubles: readonly string[];
  readonly stalls: readonly Stall[];
  readonly lease: number;
}

/** Puts together what the database holds and what the processes have noted. */
export async function gatherEvidence(dataSource: DataSource, witnesses: Witnesses): Promise<Evidence> {
  const { notes, faults, processes, troubles, stalls, lease } = witnesses;
  const gathering = new Gathering();
  for (const note of notes) {
    gathering.add(note);
  }

  const columns = { id: true, name: true, state: true, attempt: true, payload: true } as const;
  for await (const row of rowsOf(dataSource, TableQueueJob, { id: 'ASC' }, columns)) {
    const { state, attempt } = row;
    gathering.job(row.id, row.name, payloadOf(row)).live = { state, attempt };
  }
  const more = { ...columns, failures: true, runAt: true, claimedAt: true, finishedAt: true } as const;
  for await (const row of rowsOf(dataSource, TableQueueHistory, { id: 'ASC' }, more)) {
    const { state, attempt, failures, runAt, claimedAt, finishedAt } = row;
    const final = { state, attempt, failures, runAt, claimedAt, finishedAt };
    gathering.job(row.id, row.name, payloadOf(row)).final = final;
  }
  const openGroups = await dataSource.getRepository(TableQueueGroup).findBy({ finishedAt: IsNull() });
  const orders = new Set<string>();
  for await (const { token } of rowsOf(dataSource, OrderRow, { token: 'ASC' })) {
    orders.add(token);
  }
  const effects = new Map<string, number[]>();
  for await (const { token, attempt } of rowsOf(dataSource, EffectRow, { number: 'ASC' })) {
    effects.set(token, [...(effects.get(token) ?? []), attempt]);
  }
  const { jobs, enqueues, groups, transactions, cancelled } = gathering;
  return new Evidence({
    jobs,
    enqueues,
    groups,
    openGroups: openGroups.map(({ id }) => id),
    transactions,
    cancelled,
    orders,
    effects,
    faults: [...faults, ...pauses(gathering.pauses, stalls, faults)],
    processes,
    troubles,
    lease,
    hasOneLock: dataSource.options.type === 'better-sqlite3',
    isGalera: await isGalera(dataSource),
  });
}

async function isGalera(dataSource: DataSource): Promise<boolean> {
  if (dataSource.options.type === 'better-sqlite3') {
    return false;
  }
  const rows = await dataSource.query<{ readonly Value: string }[]>("SHOW VARIABLES LIKE 'wsrep_on'");
  return rows[0]?.Value === 'ON';
}

/** All rows of a table, in an order that is whole. Nothing writes to it any more. */
async function* rowsOf<Row extends ObjectLiteral>(
  dataSource: DataSource,
  entity: new () => Row,
  order: FindOptionsOrder<Row>,
  select?: FindOptionsSelect<Row>,
): AsyncGenerator<Row, void, undefined> {
  for (let skip = 0; ; skip += ROWS) {
    const rows = await dataSource.getRepository(entity).find({ ...(select && { select }), order, skip, take: ROWS });
    yield* rows;
    if (rows.length < ROWS) {
      return;
    }
  }
}

function payloadOf({ payload }: { readonly payload: string | null }): Pick<Payload, 'token' | 'key'> {
  return JSON.parse(payload ?? '{}') as Payload;
}

/** A machine that has no processor for a process, or for the server, does what SIGSTOP does. */
function pauses(
  paused: readonly Paused[],
  stalls: readonly Stall[],
  faults: readonly InjectedFault[],
): InjectedFault[] {
  const all = [
    ...paused.map(({ process, at, ms }) => pause([process], 'nothing happened', at - ms, at)),
    ...stalls.map(({ from, to }) => pause('everyone', 'the server committed nothing', from, to)),
  ];
  // What a fault has done is not told again.
  return all.filter(({ target, from, to }) => {
    return !faults.some((fault) => {
      return fault.allows.includes('rerun') && hasHit(fault, target) && fault.from <= to && fault.to >= from;
    });
  });
}

function pause(target: FaultTarget, what: string, from: number, to: number): InjectedFault {
  return {
    fault: PAUSE,
    allows: ['rerun', 'delay'],
    target,
    detail: `${what} for ${Math.round(to - from)} ms`,
    from,
    to,
  };
}

/** Whether a fault has hit just that: the server, and so everyone, or these processes. */
function hasHit({ target }: InjectedFault, what: FaultTarget): boolean {
  return what === 'everyone' || target === 'everyone'
    ? target === what
    : what.every((process) => target.includes(process));
}

/** The name under which pauses are counted that no fault has made. */
export const PAUSE = 'unplanned-pause';

class Gathering {
  readonly jobs = new Map<string, JobEvidence>();
  readonly enqueues = new Map<string, EnqueueRecord>();
  readonly groups: GroupRecord[] = [];
  readonly transactions = new Map<string, TransactionRecord>();
  readonly pauses: Paused[] = [];

  job(id: string, kind: string, { token, key }: Pick<Payload, 'token' | 'key'>): JobEvidence {
    let job = this.jobs.get(id);
    if (!job) {
      const nothing = { live: undefined, final: undefined };
      job = { id, kind, token, key, calls: [], settled: [], stalledAt: [], ...nothing };
      this.jobs.set(id, job);
    }
    return job;
  }

  /** In the order in which it happened. */
  add(note: Noted): void {
    const { process, at } = note;
    switch (note.act) {
      case 'enqueue': {
        const { token, kind, way, transaction, place } = note;
        const open = { to: undefined, id: undefined, created: false, error: undefined };
        this.enqueues.set(token, { token, kind, way, process, transaction, place, from: at, ...open });
        break;
      }
      case 'group':
        this.groups.push({ members: note.members, callbacks: note.callbacks });
        break;
      case 'enqueued':
        Object.assign(this.enqueues.get(note.token)!, { to: at, id: note.id, created: note.created });
        break;
      case 'refused':
        Object.assign(this.enqueues.get(note.token)!, { to: at, error: note.error });
        break;
      case 'beginning':
        this.transaction(note.transaction, at);
        break;
      case 'committing':
        this.transaction(note.transaction, at).committingAt = at;
        break;
      case 'committed':
        this.transaction(note.transaction, at).committedAt = at;
        break;
      case 'rolled-back':
        Object.assign(this.transaction(note.transaction, at), { rolledBackAt: at, error: note.error || undefined });
        break;
      case 'start': {
        const { id, kind, token, key, attempt } = note;
        const job = this.job(id, kind, { token, ...(key !== undefined && { key }) });
        job.calls.push({ process, attempt, from: at, to: undefined, returned: false });
        break;
      }
      case 'end': {
        const run = this.jobs
          .get(note.id)
          ?.calls.find((each) => each.attempt === note.attempt && each.process === process && each.to === undefined);
        Object.assign(run!, { to: at, returned: note.how === 'returned' });
        break;
      }
      case 'settled':
        this.jobs.get(note.id)?.settled.push({ attempt: note.attempt, how: note.how, process, at });
        break;
      case 'stalled':
        this.jobs.get(note.id)?.stalledAt.push(at);
        break;
      case 'cancelled':
        this.cancelled.set(note.id, at);
        break;
      case 'paused':
        this.pauses.push(note);
        break;
      case 'ready':
        break;
    }
  }

  /** Jobs that were cancelled before they ran are known by their rows only. */
  readonly cancelled = new Map<string, number>();

  private transaction(name: string, at: number): TransactionRecord {
    let act = this.transactions.get(name);
    if (!act) {
      act = { from: at, committingAt: undefined, committedAt: undefined, rolledBackAt: undefined, error: undefined };
      this.transactions.set(name, act);
    }
    return act;
  }
}
