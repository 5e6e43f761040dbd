import type { JobSnapshot } from '@tablequeue/typeorm';
import type { DrainedOutcome } from '@tablequeue/typeorm/testing';

import type { ModelGroup } from './model-group.js';

/** The unit of the model's time, in ms: much longer than a run takes, so what passes of the real time never counts. */
export const UNIT = 20_000;
/** How many units a worker's lease lasts: that of a drain. */
export const LEASE = 3;
/** How many attempts may fail, and how often in a row a worker may vanish, before a job has failed. */
export const ATTEMPTS = 3;
export const CRASHES = 2;
/** How long a job waits for its retry, and after its handler has snoozed it, in units. */
export const BACKOFF = 2;
export const SNOOZE = 1;

export type State = JobSnapshot['state'];

/** A job as docs/reference/job-states.md describes it. */
export interface ModelJob {
  readonly id: string;
  payload: number;
  priority: number;
  key: string | undefined;
  tenant: string | undefined;
  /** The number of its tenant's lane, as it was read last: the order of the round robin. */
  lane: number;
  /** The group it is a member of. */
  group: ModelGroup | undefined;
  state: State;
  attempt: number;
  failures: number;
  crashes: number;
  /** When it was, or will be, due, in units. */
  due: number;
  /** The same in ms, as it was read last: jobs of one priority are ordered by this. */
  runAt: number;
  /** The attempts that have left an error. */
  readonly errors: number[];
  finishedAt: number | undefined;
  owner: ModelWorker | undefined;
}

/** What a job is enqueued with. */
export interface Wanted extends Pick<ModelJob, 'payload' | 'priority' | 'key' | 'tenant'> {
  /** In units. */
  readonly delay: number;
}

/** What a handler does in the end. */
export type End = 'succeed' | 'fail' | 'fail for good' | 'snooze';

/** A worker that runs one job at a time, by the model. */
export interface ModelWorker {
  readonly leaseUntil: number;
  /** Whether its row exists: it is deleted once its lease is found to have expired. */
  isKnown: boolean;
  hasRun: boolean;
  /** The lane of the job that it claimed last. */
  lastLane: number;
  held: { readonly job: ModelJob; readonly attempt: number } | undefined;
  /** The outcomes of its attempts. */
  readonly outcomes: { readonly id: string; readonly outcome: DrainedOutcome }[];
}
