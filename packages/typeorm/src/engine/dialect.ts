import type { TableNames } from '../tables/table-names.js';
import type { Fragment } from './sql.js';

/**
 * Rows that another transaction holds, on a server without SKIP LOCKED: see `lockSkippingLocked`. Such a server reports
 * a lock only by letting a statement wait.
 */
export interface LockedRowCache {
  /** Remembers for some seconds that a row is locked. */
  add(row: string): void;
  /** Whether a row was locked a moment ago. */
  has(row: string): boolean;
  /** Deletes all rows and remembers none from now on: every row is tried again. */
  close(): void;
}

/** An UPDATE of rows of a table. */
export type UpdateUnlocked = (table: Fragment, condition: Fragment, assignments: Fragment) => Fragment;

/** The open transactions of the server. */
export interface Snapshots {
  /**
   * A SELECT of the oldest transaction that may stop purge: its `age` in ms, its `thread`, and how many rows it has
   * `changed`.
   */
  readonly oldest: Fragment;
  /** Whether that SELECT failed because the transactions are not visible: to this account, or at this moment. */
  isHidden(error: unknown): boolean;
}

/** A member of a group that ends. */
export interface EndedMember {
  readonly groupId: Buffer;
  readonly jobId: Buffer;
  readonly outcome: string;
}

/** The SQL that differs between the servers. Everything else is written once, in `store/`. */
export interface Dialect {
  readonly tables: TableNames;
  /** An expression for the present time: ms since 1970 by the database's clock. */
  readonly now: Fragment;
  /**
   * How many bytes a statement with its values has at most: the server closes the connection after a larger one.
   * Infinite where there is no server.
   */
  readonly packetBytes: number;
  /**
   * Whether other nodes of a cluster write too: their locks do not hold here. Known on a worker's connections; see
   * docs/decisions/0131.
   */
  readonly isOneOfMany: boolean;
  /** After a SELECT: locks the rows until the transaction ends. Empty where a transaction locks the whole database. */
  readonly forUpdate: Fragment;
  /**
   * After a SELECT along an index: locks the rows that no other transaction has locked. Only in a transaction: outside
   * one it locks nothing. Servers without SKIP LOCKED wait for locked rows: see `lockSkippingLocked`.
   */
  readonly forUpdateSkipLocked: Fragment;
  /** Rows known to be locked; undefined unless this is a worker's connection to a server without SKIP LOCKED. */
  readonly lockedRows: LockedRowCache | undefined;
  /**
   * A statement that changes rows by their primary keys. If one of them is locked it fails, at once or after a second:
   * see `isLockWaitTimeout`. Only outside a transaction. Undefined where the connection would wait longer.
   */
  readonly updateUnlocked: UpdateUnlocked | undefined;
  /** Whether a statement failed because it waited too long for a row. */
  isLockWaitTimeout(error: unknown): boolean;
  /**
   * A SELECT that the server ends after some time: see `isTimeout`. MySQL before 5.7.8 and SQLite do not end it.
   *
   * @param milliseconds at least 1.
   * @param selected what follows the word SELECT.
   */
  readonly selectWithin: (milliseconds: number, selected: Fragment) => Fragment;
  /** Whether the server has ended a statement because its time was over. */
  isTimeout(error: unknown): boolean;
  /**
   * Whether `lockSkippingLocked` skips locked rows, if only after a short wait. False on the application's connections
   * to a server without SKIP LOCKED: these wait as long as the application's settings define.
   */
  readonly canSkipLocked: boolean;
  /**
   * Index hints, after the table's name. Without one the optimizer reads small tables whole, and locks, or waits for,
   * the rows of other workers.
   */
  readonly byPrimaryKey: Fragment;
  /** For the job table: the index of the lanes. */
  readonly byLane: Fragment;
  /** For the audit log: the index by time. */
  readonly byAuditTime: Fragment;
  /** For the groups: the index of the finished ones. */
  readonly byFinished: Fragment;
  /** Whether a comparison of rows, `(position, id) > (?, ?)`, is a range of an index: see `sortKeyCondition`. */
  readonly rangesByRowComparison: boolean;
  /**
   * The head of a DELETE that looks up each row by its primary key, so it locks and waits for no other row. The
   * condition must also name a column outside the primary key. See docs/decisions/0020.
   */
  readonly deleteFrom: (table: Fragment) => Fragment;
  /** A DELETE of the keys of jobs: from each job's row to the one row of its key. */
  readonly deleteKeysOfJobs: (ids: readonly Buffer[]) => Fragment;
  /** An UPDATE that gives open members of groups their outcome. */
  readonly completeGroupMembers: (members: readonly EndedMember[]) => Fragment;
  /** A DELETE of all members of groups. The members have no column outside their primary key. */
  readonly deleteGroupMembers: (groupIds: readonly Buffer[]) => Fragment;
  /** The transactions whose snapshots keep deleted entries in the indexes; undefined where no snapshot does. */
  readonly snapshots: Snapshots | undefined;
  /** The list for `id IN (…)` with the hundreds of ids of a claim or of a batch of outcomes. */
  readonly idList: (ids: readonly Buffer[]) => Fragment;
  /** How many jobs one INSERT stores at most. */
  readonly jobsPerInsert: number;
  /** The present time, for columns after `created_at` in an INSERT that sets `created_at` to `now`. */
  readonly nowAfterCreatedAt: Fragment;
  /** The head of an INSERT that leaves existing rows alone. */
  readonly insertIgnore: Fragment;
  /**
   * An expression for a number that identifies the server and its present run. NULL on the application's connections,
   * and where there are no named locks.
   */
  readonly server: Fragment;
  /**
   * An expression for the name of a lock on the server. Every database has names of its own, although all databases of
   * a server share one name space. NULL where there are no named locks.
   */
  readonly lockName: (scope: string, name: string) => Fragment;
  /** A condition: no session holds the named lock. */
  readonly isLockFree: (name: Fragment) => Fragment;
  /**
   * After an INSERT: leaves existing rows as they are, and locks them exclusively where rows are locked at all.
   *
   * @param column any column of the table outside its primary key.
   */
  readonly onConflictLock: (column: Fragment) => Fragment;
  /** After an INSERT, before assignments: changes rows with the same primary keys instead. */
  readonly onConflictUpdate: (key: Fragment) => Fragment;
  /** In these assignments: the value that the INSERT would have stored. */
  readonly newValue: (column: Fragment) => Fragment;
  /** How much such a changed row adds to the number of affected rows. */
  readonly affectedByUpdate: 1 | 2;
  /** A join that reads the first table first. */
  readonly joinInOrder: Fragment;
  /** For the signals: the index by stage. */
  readonly bySignalStage: Fragment;
  /**
   * A SELECT of every lane that has jobs: `queue, state, lane, earliest, latest`, which are its first and its last
   * position. It jumps from lane to lane along the index, so it costs as much on ten rows as on ten million.
   */
  readonly lanes: Fragment;
  /** Shows the columns of a table that cannot hold every character. Undefined where all columns can. */
  readonly narrowColumns: ((table: Fragment) => Fragment) | undefined;
  /** A SELECT of every queue that has jobs, as `queue`. It jumps from queue to queue. */
  readonly queues: Fragment;
  /** A SELECT of every name with unique keys that are held, as `name`. It jumps from name to name. */
  readonly uniqueNames: Fragment;
  /** A SELECT of the lanes of running jobs in some queues: `queue, owner`. It skips the lanes of ready jobs. */
  readonly runningLanes: (queues: readonly string[]) => Fragment;
  /**
   * A SELECT of the lanes of tenants in which jobs of a queue are ready: `lane, earliest`, in the order of the lanes.
   * It jumps from lane to lane.
   *
   * @param above only lanes with a higher number.
   * @param upTo the highest number.
   * @param limit how many lanes at most.
   */
  readonly readyLanes: (queue: string, above: number, upTo: number, limit: number) => Fragment;
}
