/** What a subject needs to run on: a server, or for `sqlite` a file. */
export type Ground = 'mariadb' | 'mysql' | 'sqlite' | 'postgres' | 'redis' | 'redis-fsync';

/** The Node.js to run a subject with: some peers need a newer one than this project does. */
export type NodeVersion = 'machine' | 'newer';

/** What is measured of a subject in each round. */
export type RoundTask = 'enqueue' | 'drain' | 'latency' | 'steps';

/** What every queue has. */
export const QUEUE_TASKS: readonly RoundTask[] = ['enqueue', 'drain', 'latency'];

/** One row of the table: a queue with its settings on its ground. */
export interface SubjectPlan {
  readonly name: string;
  /** An absolute path. */
  readonly module: string;
  readonly ground: Ground;
  /** The package of a peer, with its version. */
  readonly release?: string;
  readonly node: NodeVersion;
  /** What share of the usual number of jobs it is given: the slow ones would take all day. */
  readonly share: number;
  readonly tasks: readonly RoundTask[];
  /** Whether a quick run has it: the rest are for comparison only. */
  readonly quick: boolean;
}
