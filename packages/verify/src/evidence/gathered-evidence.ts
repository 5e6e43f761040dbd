import type { LiveState, Outcome } from '@tablequeue/typeorm';

import type { InjectedFault } from '../faults/injected-faults.js';
import type { AttemptOutcome, Callback, EnqueueMethod } from '../journal/journal-entry.js';
import type { ExitReport } from '../processes/messages.js';

/** A call of `enqueue`, as its process recorded it. Times by `monotonic`. */
export interface EnqueueRecord {
  readonly token: string;
  readonly kind: string;
  readonly method: EnqueueMethod;
  readonly process: string;
  readonly transaction: string | undefined;
  /** The number of the job in a queue with a strict order. */
  readonly sequence: number | undefined;
  /** The key of its order. */
  readonly order: string | undefined;
  /** The data of the signal that was committed with it: its wait must receive it. */
  readonly signal: string | undefined;
  /** How long after its enqueue its first attempt may start, in ms. */
  readonly limit: number | undefined;
  /** The tenant whose rate applies. */
  readonly tenant: string | undefined;
  /** From which time on it replays events, in ms of the database's clock. */
  readonly replayedFrom: number | undefined;
  readonly from: number;
  /** When it returned or threw; undefined if its process died before. */
  to: number | undefined;
  /** Undefined if it is unknown. */
  id: string | undefined;
  /** False if another job had its unique key. */
  created: boolean;
  error: string | undefined;
}

/** A group of jobs, as its process recorded it before the enqueue. Jobs are named by their tokens. */
export interface GroupRecord {
  readonly members: readonly string[];
  readonly callbacks: Readonly<Record<Callback, string>>;
}

/** A call of a handler. Times by `monotonic`. */
export interface HandlerCall {
  readonly process: string;
  readonly attempt: number;
  readonly from: number;
  /** Undefined if the process died before it recorded the end. */
  to: number | undefined;
  returned: boolean;
}

export interface ReportedOutcome {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly process: string;
  readonly at: number;
}

/** A call of a step's function, or a result that a durable job has got. Times by `monotonic`. */
export interface StepRecord {
  readonly step: string;
  /** The result as JSON text; undefined for a call. */
  readonly value: string | undefined;
  readonly process: string;
  readonly at: number;
}

/** Everything known about one job. Times by `monotonic`. */
export interface JobEvidence {
  readonly id: string;
  readonly token: string;
  readonly kind: string;
  readonly key: string | undefined;
  /** In the order in which they started. */
  readonly calls: HandlerCall[];
  readonly outcomes: ReportedOutcome[];
  /** Of a durable job, in the order in which they were recorded. */
  readonly steps: StepRecord[];
  /** When a worker reported it as stalled. */
  readonly stalledAt: number[];
  live: { readonly state: LiveState; readonly attempt: number } | undefined;
  final: FinalRow | undefined;
}

/** A finished job. Times in ms by the database's clock. */
export interface FinalRow {
  readonly state: Outcome;
  readonly attempt: number;
  readonly failures: number;
  readonly createdAt: number;
  readonly runAt: number;
  /** When its last attempt was claimed. */
  readonly claimedAt: number | null;
  readonly finishedAt: number;
}

/** A transaction of a producer. Times by `monotonic`. */
export interface TransactionRecord {
  /** Just before it began. */
  readonly from: number;
  committingAt: number | undefined;
  committedAt: number | undefined;
  rolledBackAt: number | undefined;
  /** Undefined if it was rolled back on purpose. */
  error: string | undefined;
}

export interface ProcessEvidence {
  readonly name: string;
  readonly role: string;
  readonly report: ExitReport | undefined;
  /** How it ended, if verify did not end it. */
  readonly unexpectedExit: string | undefined;
  /** Whether it was asked to stop in order. */
  readonly wasAskedToStop: boolean;
  /** Those of its ports to which the server still has a connection. */
  readonly openPorts: readonly number[];
}

/** State that the queue has not healed although no fault was active. */
export interface UnsettledState {
  /** The guarantee that it breaks. */
  readonly invariant: 'nothing-without-job' | 'maintenance-goes-on';
  /** What it is, in one sentence. */
  readonly text: string;
}

/** Everything gathered after the last process ended. */
export interface GatheredEvidence {
  readonly jobs: ReadonlyMap<string, JobEvidence>;
  /** By token. */
  readonly enqueues: ReadonlyMap<string, EnqueueRecord>;
  readonly groups: readonly GroupRecord[];
  /** The ids of the groups that the queue does not consider finished. */
  readonly openGroups: readonly string[];
  readonly transactions: ReadonlyMap<string, TransactionRecord>;
  /** The tokens of the rows that producers have committed. */
  readonly orders: ReadonlySet<string>;
  /** When the subscription `HISTORY` was registered first; undefined if it never was. */
  readonly subscribedAt: number | undefined;
  /** The attempts whose effects were committed, by token. */
  readonly effects: ReadonlyMap<string, readonly number[]>;
  /** When `cancel` returned `cancelled` for the job, by id. */
  readonly cancelled: ReadonlyMap<string, number>;
  readonly faults: readonly InjectedFault[];
  readonly processes: readonly ProcessEvidence[];
  /** Problems of verify itself. */
  readonly problems: readonly string[];
  /** Before the processes stopped. */
  readonly unsettled: readonly UnsettledState[];
  /** The lease of the workers, in ms. */
  readonly lease: number;
  /** Whether a stopped process may block all others beyond their leases. SQLite has one lock for its file. */
  readonly hasOneLock: boolean;
  /** Whether the server is a node of a Galera cluster, whose other nodes accept writes too. */
  readonly isGalera: boolean;
}
