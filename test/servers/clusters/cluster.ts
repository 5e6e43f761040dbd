import type { ClusterKind } from '../engines.js';

/** A cluster of real servers on this machine. */
export interface Cluster {
  readonly kind: ClusterKind;
  /** Where its programs came from, for the report. */
  readonly origin: string;
  readonly nodes: readonly ClusterNode[];
  /** Ends all nodes. Nothing of them is left afterwards. */
  stop(): Promise<void>;
}

/** One server of a cluster. */
export interface ClusterNode {
  /** A URL of an account that may do everything, without a database. */
  readonly url: string;
  /** Ends it by SIGKILL, so that it says good-bye to nobody. */
  kill(): void;
  /** Starts it again with the data it had. Resolves when it is a member that has what the others have. */
  restart(): Promise<void>;
}
