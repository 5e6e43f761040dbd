import type { HistoryTable, TableNames } from '../tables/table-names.js';
import type { Fragment } from './sql.js';

/** Rows that somebody else has locked, where the server cannot pass over them: see `lockFree`. */
export interface LockedRowCache {
  /** Remembers for a while that a row is held. */
  note(row: string): void;
  /** Whether a row was held a moment ago. */
  has(row: string): boolean;
  /** Forgets all rows, and remembers none from now on: each is asked for every time. */
  close(): void;
  /** Whether a statement has failed because it has waited for a row for too long. */
  isWait(error: unknown): boolean;
}

/** Open transactions, as far as the server tells of them. */
export interface Snapshots {
  /**
   * A SELECT of the oldest that may stop purge, if there is one: its `age` in ms, its `thread`, and how many rows it has
   * `changed`.
   */
  readonly oldest: string;
  /** Whether that has failed because the account may not see the transactions of others. */
  isDenied(error: unknown): boolean;
}

/** What differs in SQL between the servers. Everything else is written once, in `store/`. */
export interface Dialect {
  readonly tables: TableNames;
  /** An expression for the present time: ms since 1970 by the database's clock. */
  readonly now: string;
  /** Behind a SELECT: locks the rows until the transaction ends. Empty where a transaction locks the whole database. */
  readonly forUpdate: string;
  /**
   * Behind a SELECT along a lane: locks the rows, and passes over those that somebody else has locked or not committed
   * yet. Only in a transaction: outside one it locks nothing.
   *
   * Servers without SKIP LOCKED wait for them. So a worker uses `lockFree` for whatever a transaction of the
   * application's may have locked.
   */
  readonly forUpdateSkipLocked: string;
  /** What is known of rows that others have locked; only on the connections of a worker to a server without SKIP LOCKED. */
  readonly lockedRows: LockedRowCache | undefined;
  /**
   * Whether `lockFree` passes over what others have locked, if only after a short wait. False on the application's
   * connections to a server without SKIP LOCKED, which wait as long as the application says: what can be left to a
   * worker is.
   */
  readonly canSkipLocked: boolean;
  /**
   * Behind the job table's name: read it along this index and no other way. Left to itself the optimizer scans small
   * tables whole, and locks, or waits for, the rows of every other worker.
   */
  readonly byPrimaryKey: string;
  readonly byLane: string;
  /**
   * The same behind the failures' table: read it by time, or by queue and time. Left to itself MySQL 9.7 merges the entries of
   * two indexes, all of them, and sorts them.
   */
  readonly byFailureTime: string;
  readonly byFailureQueue: string;
  /** The same behind the notes of actions: read them by time. */
  readonly byAuditTime: string;
  /** The same behind the groups' table: read it along the index of the finished ones. */
  readonly byFinished: string;
  /** Whether a comparison of rows, `(position, id) > (?, ?)`, is a range of an index: see `beyondPlace`. */
  readonly rangesByRows: boolean;
  /**
   * The head of a DELETE that looks each row up by the primary key, and so neither locks nor waits for any other. Its
   * condition has to name a column outside the primary key, besides the keys: where the primary key holds all that is
   * read, the servers weigh reading it whole, and do so on small tables, whatever index is forced.
   */
  readonly deleteFrom: (table: Fragment) => string;
  /** A DELETE of the keys of so many live jobs, given by their ids: from the jobs' rows to the one row of each. */
  readonly deleteKeysOfJobs: (count: number) => string;
  /** A condition: a row of the history is at one of so many places, which are pairs of id and `finished_at`. */
  readonly atPlaces: (count: number) => string;
  /** A DELETE of the history's rows at so many places, each looked up by itself. */
  readonly deletePlaces: (count: number) => string;
  /** `deleteKeysOfJobs` for the jobs at so many places of the history. */
  readonly deleteKeysOfPlaces: (count: number) => string;
  /** The history's table where tables can have partitions; undefined where they cannot. */
  readonly partitionable: HistoryTable | undefined;
  /** An UPDATE that gives so many open members of groups their outcome; parameters: group, job and outcome of each. */
  readonly endMembers: (count: number) => string;
  /** A DELETE of all members of so many groups. They have no column outside their primary key. */
  readonly deleteMembersOf: (count: number) => string;
  /** The transactions whose snapshots keep what is deleted in the indexes; undefined where no snapshot does. */
  readonly snapshots: Snapshots | undefined;
  /** SHOW the variable of the session that `isolatesSnapshots` reads; undefined where no server has it. */
  readonly showSnapshotIsolation: string | undefined;
  /** What stands between the brackets of `id IN ()` for the hundreds of ids of a claim or a batch of outcomes. */
  readonly idList: (ids: readonly Buffer[]) => Fragment;
  /** How many jobs one INSERT stores at most. */
  readonly jobsPerInsert: number;
  /** SQL for the present time behind the column `created_at` of an INSERT that has set it to that. */
  readonly nowOnceCreated: string;
  /** The head of an INSERT that leaves existing rows alone. */
  readonly insertIgnore: string;
  /**
   * An expression for a number that stands for the server and for this run of it; null on the application's connections,
   * and where there are no named locks.
   */
  readonly server: string;
  /**
   * An expression for the name of a lock on the server, of two parameters: a scope and a name in it. Every database has
   * its own, although the server has one name space for all of them. NULL where there are no named locks.
   */
  readonly lockName: string;
  /** A condition: nobody holds the named lock. */
  readonly isLockFree: (name: string) => string;
  /**
   * Behind an INSERT: leaves existing rows as they are, and locks them exclusively where rows are locked at all.
   *
   * @param column any of the table's that is not part of its primary key.
   */
  readonly orLockExisting: (column: string) => string;
  /** Behind an INSERT of one row, and before assignments: changes the row of the same primary key instead. */
  readonly orChangeExisting: (key: string) => string;
  /**
   * A SELECT of every lane that has jobs, with the columns `queue, state, owner, earliest`: its first position. It
   * jumps from lane to lane along the index, so it costs as much on ten rows as on ten million.
   */
  readonly lanes: string;
  /** A SELECT of every queue that has jobs, with the column `queue`. It jumps from queue to queue. */
  readonly queues: string;
  /**
   * A SELECT of the lanes of running jobs in some queues, with the columns `queue` and `owner`: it does not come by those of
   * ready jobs, of which each tenant may have one. Its parameters are the queues.
   */
  readonly runningLanes: (queues: number) => string;
  /**
   * A SELECT of the lanes of tenants in which jobs of a queue are ready, with the columns `owner` and `earliest`, in the
   * order of the owner. Its parameters are the queue, the lane to begin behind, and the last one. It jumps from lane to
   * lane as well.
   *
   * @param limit how many at most.
   */
  readonly readyLanes: (limit: number) => string;
}
