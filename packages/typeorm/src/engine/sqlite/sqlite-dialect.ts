import type { TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect } from '../dialect.js';

/** SQLite. A write transaction locks the whole database, so no row is ever locked. */
export class SqliteDialect implements Dialect {
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly heldRows = undefined;
  readonly byPrimaryKey = '';
  readonly byLane = '';
  readonly insertIgnore = 'INSERT OR IGNORE INTO';
  readonly server = 'NULL';
  readonly lockName = 'NULL';
  /** Never: the text of the statement would not be the same twice, and it is prepared and kept by its text. */
  readonly readsClockFrom = Infinity;

  constructor(
    readonly tables: TableNames,
    private readonly clock: DatabaseClock,
  ) {}

  readonly deleteFrom = (table: string): string => `DELETE FROM ${table}`;
  readonly isLockFree = (): string => 'FALSE';

  readonly orLockExisting = (): string => 'ON CONFLICT DO NOTHING';

  readonly deleteKeysOfJobs = (jobTable: string, count: number): string =>
    `DELETE FROM ${this.tables.key}
     WHERE (job_key, job_id) IN (SELECT job_key, id FROM ${jobTable} WHERE id IN (?${', ?'.repeat(count - 1)}))`;

  /** The clock of the machine, in whole milliseconds: unixepoch gives a fraction of a second. */
  get now(): string {
    const now = "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)";
    return this.clock.shift === 0 ? now : `(${now} + ${this.clock.shift})`;
  }

  /** SQLite reads the whole index for a GROUP BY. This walks from the first row of a lane to that of the next. */
  get lanes(): string {
    const { job } = this.tables;
    return `WITH RECURSIVE lane (queue, state, owner) AS (
              SELECT * FROM (SELECT queue, state, owner FROM ${job} ORDER BY queue, state, owner LIMIT 1)
              UNION ALL
              SELECT next.queue, next.state, next.owner
              FROM lane JOIN ${job} next ON next.rowid = (
                SELECT rowid FROM ${job} later
                WHERE (later.queue, later.state, later.owner) > (lane.queue, lane.state, lane.owner)
                ORDER BY later.queue, later.state, later.owner
                LIMIT 1
              )
            )
            SELECT queue, state, owner, (
              SELECT MIN(job.position) FROM ${job} job
              WHERE job.queue = lane.queue AND job.state = lane.state AND job.owner = lane.owner
            ) AS earliest
            FROM lane`;
  }
}
