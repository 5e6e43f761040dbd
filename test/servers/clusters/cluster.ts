import type { ClusterKind } from '../engines.js';

/** A cluster of real servers on this machine. */
export interface Cluster {
  readonly kind: ClusterKind;
  /** Where its programs came from, for the report. */
  readonly origin: string;
  readonly nodes: readonly ClusterNode[];
  /** Ends all nodes and removes their files. */
  stop(): Promise<void>;
}

/** One server of a cluster. */
export interface ClusterNode {
  /** The URL of an account with all privileges, without a database. */
  readonly url: string;
  /** Ends it by SIGKILL, so that it does not leave the cluster in order. */
  kill(): void;
  /** Starts it again with its data. Resolves when it is a member with the same data as the others. */
  restart(): Promise<void>;
}
