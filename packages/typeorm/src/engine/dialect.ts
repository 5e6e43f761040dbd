import type { TableNames } from '../tables/table-names.js';
import type { Operation, Parameter } from './operation.js';

/** Where the rows of a move stand, in the order of the lane index: only its first `limit` rows are taken. */
export interface LaneRange {
  readonly queue: string;
  readonly state: 'scheduled' | 'ready' | 'running';
  readonly owner: number;
  /** Takes only rows whose position has been reached; the position of a scheduled job is its due time. */
  readonly due?: boolean;
  readonly limit: number;
}

/** What differs in SQL between the servers. Everything else is written once, in `store/`. */
export interface Dialect {
  readonly tables: TableNames;
  /** An expression for the present time: ms since 1970 by the database's clock. */
  readonly now: string;
  /** Behind a SELECT: locks the rows until the transaction ends. Empty where a transaction locks the whole database. */
  readonly forUpdate: string;
  /**
   * Behind the job table's name: read it along this index and no other way. Left to itself the optimizer scans small
   * tables whole, and locks, or waits for, the rows of every other worker.
   */
  readonly byPrimaryKey: string;
  readonly byLane: string;
  /** The head of a DELETE on the job table that finds its rows by the primary key. */
  readonly deleteFromJob: string;
  /** The head of an INSERT that leaves existing rows alone. */
  readonly insertIgnore: string;
  /**
   * A SELECT of every lane that has jobs, with the columns `queue, state, owner, earliest`: its first position. It
   * jumps from lane to lane along the index, so it costs as much on ten rows as on ten million.
   */
  readonly lanes: string;
  /** Sets columns of the first rows of a lane, passing over rows that somebody else has locked. */
  moveLane(range: LaneRange, set: string, parameters: readonly Parameter[]): Operation<number>;
}
