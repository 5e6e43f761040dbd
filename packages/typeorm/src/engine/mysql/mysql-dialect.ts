import type { TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect, LaneRange } from '../dialect.js';
import { type Operation, type Parameter, change } from '../operation.js';

/** MySQL and MariaDB. */
export class MysqlDialect implements Dialect {
  readonly forUpdate = 'FOR UPDATE';
  readonly byPrimaryKey = 'FORCE INDEX (PRIMARY)';
  readonly insertIgnore = 'INSERT IGNORE INTO';

  readonly byLane: string;
  readonly deleteFromJob: string;

  constructor(
    readonly tables: TableNames,
    private readonly clock: DatabaseClock,
  ) {
    this.byLane = `FORCE INDEX (${tables.laneIndex})`;
    // Only the multi-table form of DELETE takes an index hint.
    this.deleteFromJob = `DELETE job FROM ${tables.job} job ${this.byPrimaryKey}`;
  }

  /** UTC_TIMESTAMP, never NOW: enqueues run on the application's connection, in whatever time zone that is. */
  get now(): string {
    const now = "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000)";
    return this.clock.shift === 0 ? now : `(${now} + ${this.clock.shift})`;
  }

  /** MIN with GROUP BY on a prefix of the index is a loose index scan ("Using index for group-by") on both servers. */
  get lanes(): string {
    return `SELECT queue, state, owner, MIN(position) AS earliest
            FROM ${this.tables.job} ${this.byLane}
            GROUP BY queue, state, owner`;
  }

  /**
   * One statement that picks, locks and changes, so that no transaction stays open between round trips. It was as
   * fast as SELECT … SKIP LOCKED, UPDATE, COMMIT (MariaDB 10.11: 20,100-25,900 jobs/s against 19,100-21,700; MySQL
   * 9.7: 19,100-23,100 against 21,100-24,200; batches of 200, through query runners, 2026-11-20).
   *
   * - FORCE INDEX: on a small table the optimizer prefers a full scan, which locks every row.
   * - STRAIGHT_JOIN: otherwise MariaDB drives the join from the whole table, and locks that.
   * - SKIP LOCKED: no worker waits for another, nor for an application's uncommitted enqueue.
   * - The ORDER BY is what remains of the index after its equality columns: a filesort would lock all candidates.
   * - READ COMMITTED (set on the connection) is needed: at REPEATABLE READ a move that finds fewer rows than its
   *   limit locks the gap behind the last row, and with it every enqueue.
   */
  moveLane(range: LaneRange, set: string, parameters: readonly Parameter[]): Operation<number> {
    const { job } = this.tables;
    return change(
      `UPDATE (
         SELECT id FROM ${job} ${this.byLane}
         WHERE queue = ? AND state = ? AND owner = ?${range.due ? ` AND position <= ${this.now}` : ''}
         ORDER BY position, id
         LIMIT ${Math.trunc(range.limit)}
         FOR UPDATE SKIP LOCKED
       ) picked
       STRAIGHT_JOIN ${job} job ON job.id = picked.id
       SET ${set}`,
      [range.queue, range.state, range.owner, ...parameters],
    );
  }
}
