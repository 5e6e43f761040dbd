import type { Count, JobState } from './counts.js';

/** `GET api/jobs?state=&queue=&name=&key=&tenant=&error=&from=&to=&cursor=&limit=`: live jobs as they stand in line, ended ones the newest first. */
export interface JobPage {
  readonly jobs: readonly JobRow[];
  /** For `cursor`; null at the end. */
  readonly next: string | null;
  readonly takenAt: number;
  /** Whether the search stopped at its bound before the page was full: `next` goes on. */
  readonly isPartial: boolean;
  /** What can be done with jobs of this state, by the one who asks. */
  readonly actions: readonly JobAction[];
}

export interface JobRow {
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly state: JobState;
  readonly key: string | null;
  readonly tenant: string | null;
  readonly priority: number;
  readonly attempt: number;
  readonly failures: number;
  readonly createdAt: number;
  readonly runAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** The first line of the last error. */
  readonly error: string | null;
  /** 0 to 1, where the handler tells such a number. */
  readonly progress: number | null;
}

/** `GET api/jobs/states?key=&queue=&name=&tenant=`: in which states the jobs with a key are. */
export type KeyedCounts = Readonly<Record<JobState, Count>>;

/** `GET api/jobs/:id`; the actions on a job answer it too. */
export interface JobDetail extends Omit<JobRow, 'progress'> {
  readonly payload: unknown;
  /** Whatever the handler has told last. */
  readonly progress: unknown;
  /** Whether `payload`, `result` and `progress` are not, or not all, shown. */
  readonly isRedacted: boolean;
  readonly payloadVersion: number;
  readonly result: unknown;
  readonly attempts: readonly Attempt[];
  /** The one that runs it. */
  readonly worker: { readonly id: string; readonly host: string } | null;
  readonly leaseEndsAt: number | null;
  /** What ties it to the enqueue it comes from. */
  readonly trace: string | null;
  /** The group that it waits for, or has waited for, as a callback. */
  readonly waitsFor: JobGroup | null;
  /** The callbacks of the group that it is a member of: they wait for it, or have done so. */
  readonly followedBy: readonly JobLink[];
  /** What can be done with it in its state, by the one who asks. */
  readonly actions: readonly JobAction[];
}

export interface Attempt {
  readonly attempt: number;
  /** Not known of one that has crashed, or was broken off. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /**
   * `crashed`: its worker has died, or lost its lease. `broken-off`: it came to no end, because of that, or because it was
   * put off, handed back or cancelled.
   */
  readonly outcome: 'succeeded' | 'failed' | 'crashed' | 'broken-off' | 'running';
  readonly error: string | null;
  readonly stack: string | null;
}

/** How far a group has come that a job waits for. */
export interface JobGroup {
  readonly id: string;
  /** How many members it has. */
  readonly jobs: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** How many of them have not ended. */
  readonly pending: number;
  /** Some of them: those that failed or were cancelled first, then those that have not ended. */
  readonly members: readonly JobLink[];
}

export interface JobLink {
  readonly id: string;
  readonly name: string;
  readonly state: JobState;
}

/** `POST api/jobs/:id/run-now | retry | cancel`, `PUT api/jobs/:id/priority`. */
export type JobAction = 'run-now' | 'retry' | 'cancel' | 'priority';

/** Body of `PUT api/jobs/:id/priority`. */
export interface PriorityRequest {
  readonly priority: number;
}

/** Which jobs: those for which everything holds that is given. `error`: a text in the last error. */
export interface JobFilter {
  readonly state: JobState;
  readonly queue?: string;
  readonly name?: string;
  readonly key?: string;
  readonly tenant?: string;
  readonly error?: string;
  readonly from?: number;
  readonly to?: number;
}

/** Body of `POST api/jobs/bulk`, which does as much as goes quickly, and is asked again until `next` is null. */
export interface BulkRequest {
  readonly action: JobAction;
  readonly filter: JobFilter | { readonly ids: readonly string[] };
  /** For the action `priority`. */
  readonly priority?: number;
  /** The `next` of the answer before, to the same action and filter. Not with ids: of these all are done at once. */
  readonly cursor?: string;
}

/** Body of `POST api/jobs/preview`. */
export interface PreviewRequest {
  readonly action: JobAction;
  readonly filter: JobFilter;
}

/** Answer of `POST api/jobs/preview`. */
export interface BulkPreview {
  /**
   * Exactly so many, unless it is capped: counting ends at 10,000, and after looking at about 100,000 jobs. What is rare among
   * these may be told as none and capped: none so far.
   */
  readonly matching: Count;
}

/** Answer of `POST api/jobs/bulk`: what this request has done. */
export interface BulkResult {
  /** Up to 2,000; none perhaps, although there are more. */
  readonly changed: number;
  /** Those that were in another state when their turn came, or that somebody had locked. */
  readonly skipped: number;
  /** For `cursor`; null when all is done. */
  readonly next: string | null;
}
