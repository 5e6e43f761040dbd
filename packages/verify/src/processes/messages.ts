import type { DataSourceOptions } from 'typeorm';

/** What a process of the bench is for. Producers also work, each on a queue of its own. */
export type Role = 'worker' | 'producer';

/** How to connect. It goes to other processes, so it holds no function and no driver. */
export interface Connection {
  readonly options: DataSourceOptions;
  /** The file of the driver's package, where it is not the one that is installed beside this package. */
  readonly driver: string | undefined;
}

/** What a process is told at its start. */
export interface ProcessConfig {
  readonly role: Role;
  /** Its name, which no other process of the run has had: `worker-2.3` is the third in the second place. */
  readonly name: string;
  /** `worker-2`: what one that takes its place has too. */
  readonly slot: string;
  readonly connection: Connection;
  readonly prefix: string;
  /** The folder of the journals. */
  readonly folder: string;
  /** The slots of the producers. */
  readonly producers: readonly string[];
  /** In ms. */
  readonly lease: number;
  readonly concurrency: number;
  /** What a producer draws from. */
  readonly seed: number;
  /** How many jobs a producer enqueues at most. */
  readonly jobs: number;
  /** How many jobs a producer enqueues in a second, about. */
  readonly rate: number;
}

/** What the bench tells a process. */
export type Command =
  | { readonly tell: 'config'; readonly config: ProcessConfig }
  /** A producer enqueues nothing more; it goes on working. */
  | { readonly tell: 'produce no more' }
  /** Nothing else happens in the process for so many ms. */
  | { readonly tell: 'block'; readonly ms: number }
  /** It has run for long enough: what it takes now is what it needs. */
  | { readonly tell: 'measure' }
  /** Stop in order, tell what is left, end. */
  | { readonly tell: 'finish' };

/** What a process has at its end, when everything is closed that it has opened. */
export interface EndReport {
  /** Bytes behind a garbage collection, when told to measure and now; undefined where it was never told to. */
  readonly heap: { readonly before: number; readonly after: number } | undefined;
  /** What keeps the process alive and was not there at its start, such as `Timeout` and `TCPSocketWrap`. */
  readonly left: readonly string[];
  /** The ports of its own side of all connections that it has ever made. */
  readonly ports: readonly number[];
}

/** What a process tells the bench. */
export type Message =
  | { readonly tell: 'ready' }
  /** A producer enqueues nothing more. */
  | { readonly tell: 'quiet' }
  | { readonly tell: 'report'; readonly report: EndReport };
