import type { DataSourceOptions } from 'typeorm';

/** The role of a process. Producers also run jobs, each from a queue of its own. */
export type Role = 'worker' | 'producer';

/** How to connect. It is sent to other processes, so it contains no function and no driver. */
export interface Connection {
  readonly options: DataSourceOptions;
  /** The file of the driver. Undefined for the driver that is installed beside this package. */
  readonly driver: string | undefined;
}

/** The first message to a process. */
export interface ProcessConfig {
  readonly role: Role;
  /** Unique in the run: `worker-2.3` is the third process in the slot `worker-2`. */
  readonly name: string;
  /** `worker-2`: a process and its replacements have the same. */
  readonly slot: string;
  readonly connection: Connection;
  readonly prefix: string;
  readonly folder: string;
  readonly producers: readonly string[];
  /** In ms. */
  readonly lease: number;
  readonly concurrency: number;
  /** The seed of a producer's load. */
  readonly seed: number;
  /** The number of jobs that a producer enqueues at most. */
  readonly jobs: number;
  /** About how many jobs a producer enqueues in a second. */
  readonly rate: number;
  /** How long after its start a worker registers the subscription `HISTORY`, in ms. */
  readonly subscribeAfter: number;
}

export type Command =
  | { readonly type: 'config'; readonly config: ProcessConfig }
  /** A producer stops enqueuing, and continues to run jobs. */
  | { readonly type: 'stop-producing' }
  /** Blocks the event loop for the given ms. */
  | { readonly type: 'block'; readonly ms: number }
  /** Measures the heap of the process, now that it has warmed up. */
  | { readonly type: 'measure-heap' }
  /** Stops in order, reports open resources, and exits. */
  | { readonly type: 'stop' };

/** What a process reports before it exits, after it has closed everything it opened. */
export interface ExitReport {
  /** Bytes after garbage collections, at `measure-heap` and now. Undefined if `measure-heap` was never received. */
  readonly heap: { readonly before: number; readonly after: number } | undefined;
  /** What keeps the process alive and did not at its start, such as `Timeout` and `TCPSocketWrap`. */
  readonly openResources: readonly string[];
  /** The local ports of all connections that it ever opened. */
  readonly ports: readonly number[];
}

export type Message =
  | { readonly type: 'ready' }
  /** A producer enqueues nothing more. */
  | { readonly type: 'done-producing' }
  | { readonly type: 'report'; readonly report: ExitReport };
