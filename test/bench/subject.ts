import type { Ground } from './subject-plan.js';

/** The payload of every job in the bench: about 150 bytes of JSON. */
export interface BenchPayload {
  readonly number: number;
  readonly text: string;
}

/** Receives the events of a worker. Both are called once for each job. */
export interface WorkListener {
  /** A handler has been called. */
  readonly started: (payload: BenchPayload) => void;
  /** According to the queue itself, the job is done and stored as done. */
  readonly finished: () => void;
}

/** One queue with its settings, as the bench drives it. It lives in a process of its own. */
export interface Subject {
  /** Creates what it needs and removes what an earlier run has left: afterwards no jobs are stored, also none finished. */
  reset(): Promise<void>;
  /** Stores jobs the way the queue's documentation recommends for many at once. */
  enqueueMany(payloads: readonly BenchPayload[]): Promise<void>;
  /** Does at once what its server would do within a minute after many jobs were stored. */
  settle?(): Promise<void>;
  /** Stores one job. */
  enqueue(payload: BenchPayload): Promise<void>;
  /** Starts a worker, set up for throughput, whose handler does nothing. Resolves to what stops it. */
  work(listener: WorkListener): Promise<() => Promise<void>>;
  /** Disconnects. */
  close(): Promise<void>;
}

/** What a subject's module exports. */
export interface SubjectModule {
  /**
   * @param url where its server is; for embedded databases a file's path that does not exist yet or is its own.
   * @param ground what kind of server that is.
   */
  open(url: string, ground: Ground): Promise<Subject>;
}
