import type { Ground } from '../subject-plan.js';

/** The task of a client process and its settings. */
export interface Task {
  /** A name of `TASKS`. */
  readonly task: string;
  /** The subject's module: an absolute path. */
  readonly module: string;
  readonly url: string;
  readonly ground: Ground;
  readonly serverProcess: number | undefined;
  readonly counts: Counts;
}

/** How large the tasks are: in jobs, or in ms where the field names it. */
export interface Counts {
  readonly bulk: number;
  readonly inFlight: number;
  /** How long they are stored at most, in ms: where each waits for a commit of its own that takes long. */
  readonly inFlightLongest: number;
  readonly sequential: number;
  readonly drain: number;
  readonly latency: number;
  /** How long no job is enqueued before the latency after a silence is measured, in ms. */
  readonly silence: number;
  /** How often that is measured, of as many queues each time. */
  readonly silences: number;
  /** How long the statements of an idle worker are counted, in ms. */
  readonly idle: number;
  /** How many jobs are drained while a snapshot is held. */
  readonly snapshot: number;
  /** How many live jobs, and how many finished ones, large tables have. */
  readonly backlog: number;
  readonly finished: number;
  /** How often each request of the dashboard's pages is sent. */
  readonly calls: number;
  /** How many jobs are drained at a time beside a dashboard that is open, or is not. */
  readonly beside: number;
  /** How many jobs each of the processes drains. */
  readonly processes: number;
  /** How many jobs of 20 steps are run. */
  readonly stepJobs: number;
  /** How many signals are sent in each way to jobs that wait. */
  readonly signals: number;
  /** How many jobs sleep at a time. */
  readonly sleeping: number;
  /** Jobs that wait, with limits or without. */
  readonly waiting: number;
  /** Enqueues by several callers, with a maximum length and without. */
  readonly enqueued: number;
  /** How often one process and several are measured in turn. */
  readonly turns: number;
}

/** What was measured: a value for each name of a metric. */
export type Metrics = Readonly<Record<string, number>>;
