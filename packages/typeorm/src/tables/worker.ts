import { AUDIT_LENGTH } from './audit.js';
import { defineTable } from './table.js';

/** What a worker does, as it has reported. */
export const WORKER_STATES = ['working', 'quiet', 'stopping'] as const;

/** `working`: it claims jobs. `quiet`: it claims none, and goes on with those that it has. `stopping`: for good. */
export type WorkerState = (typeof WORKER_STATES)[number];

/** What is requested of a worker; it starts with the first. */
export const WORKER_REQUESTS = ['work', 'quiet', 'stop'] as const;

export type WorkerRequest = (typeof WORKER_REQUESTS)[number];

/** The longest version of the application's code, in characters. */
export const CODE_VERSION_LENGTH = 64;

/** One row of `tq_worker`: a worker, alive until its lease ends. */
export class TableQueueWorkerRow {
  /** A random number; the `owner` of the jobs it runs. */
  readonly id!: number;
  readonly host!: string;
  readonly pid!: number;
  /** The version of this package in its process. */
  readonly version!: string;
  /** The version of the application's code: the option `codeVersion`; null without it. */
  readonly codeVersion!: string | null;
  /** The queues it claims from, and their weights, as JSON: see `queuesToText`. */
  readonly queues!: string;
  readonly startedAt!: number;
  /** When it registered or last renewed its lease. */
  readonly seenAt!: number;
  readonly leaseUntil!: number;
  /** The named lock it holds while it is alive; null without one. */
  readonly lockName!: string | null;
  /** The server, and its run, on which it holds the lock: after a restart or a failover the lock proves nothing. */
  readonly lockServer!: number | null;
  readonly state!: WorkerState;
  /** What it is asked to do. It reads that with each renewal. */
  readonly requested!: WorkerRequest;
  /** Who requested it; null if unknown, or if nothing was requested yet. */
  readonly requestedBy!: string | null;
  readonly requestedAt!: number | null;
  /** The memory of its process, in bytes. */
  readonly rss!: number;
  /** The part of its JavaScript heap that is in use, in bytes. */
  readonly heapUsed!: number;
  /** The delay of its event loop between the last two reports, in ms: 99 of 100 samples were shorter. */
  readonly delayP99!: number;
  readonly delayMax!: number;
  /** When it last reported that its event loop was blocked for too long; null if never. */
  readonly blockedAt!: number | null;
  /** For how long, in ms. */
  readonly blockedFor!: number | null;
}

export const workerTable = defineTable(TableQueueWorkerRow, 'worker', (types) => ({
  columns: {
    id: { ...types.count, name: 'id', primary: true },
    host: { ...types.text(255), name: 'host' },
    pid: { ...types.count, name: 'pid' },
    version: { ...types.name(64), name: 'version' },
    codeVersion: { ...types.text(CODE_VERSION_LENGTH), name: 'code_version', nullable: true },
    queues: { ...types.longText, name: 'queues' },
    startedAt: { ...types.time, name: 'started_at' },
    seenAt: { ...types.time, name: 'seen_at' },
    leaseUntil: { ...types.time, name: 'lease_until' },
    lockName: { ...types.name(64), name: 'lock_name', nullable: true },
    lockServer: { ...types.time, name: 'lock_server', nullable: true },
    state: { ...types.oneOf(WORKER_STATES), name: 'state', default: 'working' },
    requested: { ...types.oneOf(WORKER_REQUESTS), name: 'requested', default: 'work' },
    requestedBy: { ...types.text(AUDIT_LENGTH.who), name: 'requested_by', nullable: true },
    requestedAt: { ...types.time, name: 'requested_at', nullable: true },
    rss: { ...types.time, name: 'rss', default: 0 },
    heapUsed: { ...types.time, name: 'heap_used', default: 0 },
    delayP99: { ...types.count, name: 'delay_p99', default: 0 },
    delayMax: { ...types.count, name: 'delay_max', default: 0 },
    blockedAt: { ...types.time, name: 'blocked_at', nullable: true },
    blockedFor: { ...types.count, name: 'blocked_for', nullable: true },
  },
}));
