import type { TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect } from '../dialect.js';
import { type Fragment, sql } from '../sql.js';

/** SQLite. A write transaction locks the whole database, so no row is ever locked. */
export class SqliteDialect implements Dialect {
  readonly forUpdate = '';
  readonly forUpdateSkipLocked = '';
  readonly lockedRows = undefined;
  readonly canSkipLocked = true;
  readonly byPrimaryKey = '';
  readonly byLane = '';
  readonly byFailureTime = '';
  readonly byFailureQueue = '';
  readonly byAuditTime = '';
  readonly byFinished = '';
  readonly rangesByRows = true;
  readonly insertIgnore = 'INSERT OR IGNORE INTO';
  readonly server = 'NULL';
  readonly lockName = 'NULL';

  constructor(
    readonly tables: TableNames,
    private readonly clock: DatabaseClock,
  ) {}

  readonly partitionable = undefined;
  readonly snapshots = undefined;
  readonly showSnapshotIsolation = undefined;

  readonly deleteFrom = (table: Fragment): string => `DELETE FROM ${table}`;
  readonly isLockFree = (): string => 'FALSE';
  readonly idList = (ids: readonly Buffer[]): Fragment => sql.list(ids);

  readonly orChangeExisting = (key: string): string => `ON CONFLICT (${key}) DO UPDATE SET`;

  readonly orLockExisting = (): string => 'ON CONFLICT DO NOTHING';

  readonly deleteMembersOf = (count: number): string =>
    `DELETE FROM ${this.tables.member} WHERE group_id IN (?${', ?'.repeat(count - 1)})`;

  readonly deleteKeysOfJobs = (count: number): string =>
    `DELETE FROM ${this.tables.key}
     WHERE (job_key, job_id) IN
       (SELECT job_key, id FROM ${this.tables.job} WHERE id IN (?${', ?'.repeat(count - 1)}))`;

  readonly atPlaces = (count: number): string => `(id, finished_at) IN (VALUES (?, ?)${', (?, ?)'.repeat(count - 1)})`;

  readonly deletePlaces = (count: number): string => `DELETE FROM ${this.tables.history} WHERE ${this.atPlaces(count)}`;

  readonly deleteKeysOfPlaces = (count: number): string =>
    `DELETE FROM ${this.tables.key}
     WHERE (job_key, job_id) IN (SELECT job_key, id FROM ${this.tables.history} WHERE ${this.atPlaces(count)})`;

  readonly endMembers = (count: number): string =>
    `UPDATE ${this.tables.member} AS target SET outcome = ended.outcome
     FROM (SELECT ? AS group_id, ? AS job_id, ? AS outcome${' UNION ALL SELECT ?, ?, ?'.repeat(count - 1)}) ended
     WHERE target.group_id = ended.group_id AND target.outcome = 'open' AND target.job_id = ended.job_id`;

  /** The clock of the machine, in whole milliseconds: unixepoch gives a fraction of a second. */
  get now(): string {
    const now = "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)";
    return this.clock.shift === 0 ? now : `(${now} + ${Math.trunc(this.clock.shift)})`;
  }

  /**
   * With 1,000, whose text V8 keeps by itself (see `insert-jobs.ts`), bulk calls stored 0.75 to 0.87 times as many (2 × AMD
   * EPYC, Node.js 20.20, four times in turn, 2026-11-25).
   */
  readonly jobsPerInsert = 500;

  /** An INSERT knows no columns here. The time is the same throughout a statement. */
  get nowOnceCreated(): string {
    return this.now;
  }

  /**
   * SQLite reads the whole index for a GROUP BY. This walks from the first row of a lane to that of the next. Each column
   * by itself: of `(queue, state, owner) > (?, ?, ?)` it only uses the first, and 1,000 lanes took 2 s.
   */
  get lanes(): string {
    const { job } = this.tables;
    const first = (column: string, condition: string) => `SELECT MIN(${column}) FROM ${job} WHERE ${condition}`;
    const ofQueue = 'queue = lane.queue';
    const ofState = `${ofQueue} AND state = lane.state`;
    return `WITH RECURSIVE
              every_queue (queue) AS (
                SELECT (SELECT MIN(queue) FROM ${job})
                UNION ALL
                SELECT (${first('queue', 'queue > lane.queue')}) FROM every_queue lane WHERE lane.queue IS NOT NULL
              ),
              every_state (queue, state) AS (
                SELECT queue, (${first('state', ofQueue)}) FROM every_queue lane WHERE queue IS NOT NULL
                UNION ALL
                SELECT queue, (${first('state', `${ofQueue} AND state > lane.state`)}) FROM every_state lane
                WHERE lane.state IS NOT NULL
              ),
              every_lane (queue, state, owner) AS (
                SELECT queue, state, (${first('owner', ofState)}) FROM every_state lane WHERE state IS NOT NULL
                UNION ALL
                SELECT queue, state, (${first('owner', `${ofState} AND owner > lane.owner`)}) FROM every_lane lane
                WHERE lane.owner IS NOT NULL
              )
            SELECT queue, state, owner, (${first('position', `${ofState} AND owner = lane.owner`)}) AS earliest
            FROM every_lane lane WHERE owner IS NOT NULL`;
  }

  get queues(): string {
    const { job } = this.tables;
    return `WITH RECURSIVE every_queue (queue) AS (
              SELECT (SELECT MIN(queue) FROM ${job})
              UNION ALL
              SELECT (SELECT MIN(queue) FROM ${job} WHERE queue > lane.queue) FROM every_queue lane
              WHERE lane.queue IS NOT NULL
            )
            SELECT queue FROM every_queue WHERE queue IS NOT NULL`;
  }

  readonly runningLanes = (queues: number): string => {
    const next = `SELECT MIN(owner) FROM ${this.tables.job} WHERE queue = lane.queue AND state = 'running'`;
    return `WITH RECURSIVE
              wanted (queue) AS (VALUES (?)${', (?)'.repeat(queues - 1)}),
              every_lane (queue, owner) AS (
                SELECT queue, (${next}) FROM wanted lane
                UNION ALL
                SELECT queue, (${next} AND owner > lane.owner) FROM every_lane lane WHERE lane.owner IS NOT NULL
              )
            SELECT queue, owner FROM every_lane WHERE owner IS NOT NULL`;
  };

  readonly readyLanes = (limit: number): string => {
    const { job } = this.tables;
    const ready = `FROM ${job} WHERE queue = wanted.queue AND state = 'ready'`;
    return `WITH RECURSIVE
              wanted (queue, before, last) AS (SELECT ?, ?, ?),
              lane (owner) AS (
                SELECT (SELECT MIN(owner) ${ready} AND owner > wanted.before AND owner <= wanted.last) FROM wanted
                UNION ALL
                SELECT (SELECT MIN(owner) ${ready} AND owner > lane.owner AND owner <= wanted.last)
                FROM lane, wanted WHERE lane.owner IS NOT NULL
              )
            SELECT lane.owner, (SELECT MIN(position) ${ready} AND owner = lane.owner) AS earliest
            FROM lane, wanted WHERE lane.owner IS NOT NULL LIMIT ${Math.trunc(limit)}`;
  };
}
