import type { TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect, EndedMember, UpdateUnlocked } from '../dialect.js';
import { type Fragment, sql } from '../sql.js';

const UNION_ALL = sql` UNION ALL `;
const NULL = sql`NULL`;

/** The clock of the machine, in whole milliseconds: unixepoch returns a fraction of a second. */
const NOW = sql`CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)`;

/** SQLite. A write transaction locks the whole database, so no row is ever locked and no index needs a hint. */
export class SqliteDialect implements Dialect {
  readonly packetBytes = Infinity;
  readonly isOneOfMany = false;
  readonly forUpdate = sql.empty;
  readonly forUpdateSkipLocked = sql.empty;
  readonly lockedRows = undefined;
  readonly canSkipLocked = true;
  readonly updateUnlocked: UpdateUnlocked = (table, condition, assignments) =>
    sql`UPDATE ${table} SET ${assignments} WHERE ${condition}`;
  readonly byPrimaryKey = sql.empty;
  readonly byLane = sql.empty;
  readonly byAuditTime = sql.empty;
  readonly byFinished = sql.empty;
  readonly bySignalStage = sql.empty;
  readonly rangesByRowComparison = true;
  readonly affectedByUpdate = 1;
  readonly joinInOrder = sql`CROSS JOIN`;
  readonly insertIgnore = sql`INSERT OR IGNORE INTO`;
  readonly server = NULL;
  readonly narrowColumns = undefined;
  readonly snapshots = undefined;
  /** More would make texts that V8 keeps in pages of their own: bulk calls stored 0.75 to 0.87 times as many jobs. */
  readonly jobsPerInsert = 500;

  constructor(
    readonly tables: TableNames,
    private readonly clock: DatabaseClock,
  ) {}

  get now(): Fragment {
    const { shift } = this.clock;
    return shift === 0 ? NOW : sql`(${NOW} + ${sql.integer(Math.trunc(shift))})`;
  }

  /** An INSERT cannot read its columns here. The time is the same throughout a statement. */
  get nowAfterCreatedAt(): Fragment {
    return this.now;
  }

  isLockWaitTimeout(): boolean {
    return false;
  }

  isTimeout(): boolean {
    return false;
  }

  readonly selectWithin = (_milliseconds: number, selected: Fragment): Fragment => sql`SELECT ${selected}`;

  readonly lockName = (): Fragment => NULL;
  readonly isLockFree = (): Fragment => sql`FALSE`;
  readonly deleteFrom = (table: Fragment): Fragment => sql`DELETE FROM ${table}`;
  readonly idList = (ids: readonly Buffer[]): Fragment => sql.list(ids);
  readonly onConflictUpdate = (key: Fragment): Fragment => sql`ON CONFLICT (${key}) DO UPDATE SET`;
  readonly newValue = (column: Fragment): Fragment => sql`excluded.${column}`;
  readonly onConflictLock = (): Fragment => sql`ON CONFLICT DO NOTHING`;

  readonly deleteGroupMembers = (groupIds: readonly Buffer[]): Fragment =>
    sql`DELETE FROM ${this.tables.member} WHERE group_id IN (${sql.list(groupIds)})`;

  readonly deleteKeysOfJobs = (ids: readonly Buffer[]): Fragment =>
    sql`DELETE FROM ${this.tables.key}
        WHERE (job_key, job_id) IN (SELECT job_key, id FROM ${this.tables.job} WHERE id IN (${sql.list(ids)}))`;

  readonly completeGroupMembers = (members: readonly EndedMember[]): Fragment => {
    const ended = members.map(
      ({ groupId, jobId, outcome }) => sql`SELECT ${groupId} AS group_id, ${jobId} AS job_id, ${outcome} AS outcome`,
    );
    return sql`UPDATE ${this.tables.member} AS target SET outcome = ended.outcome
               FROM (${sql.join(ended, UNION_ALL)}) ended
               WHERE target.group_id = ended.group_id AND target.outcome = 'open' AND target.job_id = ended.job_id`;
  };

  /**
   * SQLite reads the whole index for a GROUP BY, so this walks from the first row of a lane to that of the next. It
   * does so one column at a time: of `(queue, state, lane) > (?, ?, ?)` SQLite only uses the first column.
   */
  get lanes(): Fragment {
    const { job } = this.tables;
    const first = (column: Fragment, condition: Fragment) => sql`SELECT MIN(${column}) FROM ${job} WHERE ${condition}`;
    const last = (column: Fragment, condition: Fragment) => sql`SELECT MAX(${column}) FROM ${job} WHERE ${condition}`;
    const queue = sql`queue`;
    const state = sql`state`;
    const lane = sql`lane`;
    const ofQueue = sql`queue = previous.queue`;
    const ofState = sql`${ofQueue} AND state = previous.state`;
    return sql`
      WITH RECURSIVE
        every_queue (queue) AS (
          SELECT (SELECT MIN(queue) FROM ${job})
          UNION ALL
          SELECT (${first(queue, sql`queue > previous.queue`)}) FROM every_queue previous
          WHERE previous.queue IS NOT NULL
        ),
        every_state (queue, state) AS (
          SELECT queue, (${first(state, ofQueue)}) FROM every_queue previous WHERE queue IS NOT NULL
          UNION ALL
          SELECT queue, (${first(state, sql`${ofQueue} AND state > previous.state`)}) FROM every_state previous
          WHERE previous.state IS NOT NULL
        ),
        every_lane (queue, state, lane) AS (
          SELECT queue, state, (${first(lane, ofState)}) FROM every_state previous WHERE state IS NOT NULL
          UNION ALL
          SELECT queue, state, (${first(lane, sql`${ofState} AND lane > previous.lane`)}) FROM every_lane previous
          WHERE previous.lane IS NOT NULL
        )
      SELECT queue, state, lane,
             (${first(sql`position`, sql`${ofState} AND lane = previous.lane`)}) AS earliest,
             (${last(sql`position`, sql`${ofState} AND lane = previous.lane`)}) AS latest
      FROM every_lane previous WHERE lane IS NOT NULL`;
  }

  get queues(): Fragment {
    return everyValue(sql`queue`, this.tables.job);
  }

  get uniqueNames(): Fragment {
    return everyValue(sql`name`, this.tables.unique);
  }

  readonly runningLanes = (queues: readonly string[]): Fragment => {
    const next = sql`SELECT MIN(lane) FROM ${this.tables.job} WHERE queue = previous.queue AND state = 'running'`;
    return sql`
      WITH RECURSIVE
        wanted (queue) AS (VALUES ${sql.join(queues.map((queue) => sql`(${queue})`))}),
        every_lane (queue, owner) AS (
          SELECT queue, (${next}) FROM wanted previous
          UNION ALL
          SELECT queue, (${next} AND lane > previous.owner) FROM every_lane previous WHERE previous.owner IS NOT NULL
        )
      SELECT queue, owner FROM every_lane WHERE owner IS NOT NULL`;
  };

  readonly readyLanes = (queue: string, above: number, upTo: number, limit: number): Fragment => {
    const { job } = this.tables;
    const ready = sql`FROM ${job} WHERE queue = wanted.queue AND state = 'ready'`;
    return sql`
      WITH RECURSIVE
        wanted (queue, before, last) AS (SELECT ${queue}, ${above}, ${upTo}),
        every_lane (lane) AS (
          SELECT (SELECT MIN(lane) ${ready} AND lane > wanted.before AND lane <= wanted.last) FROM wanted
          UNION ALL
          SELECT (SELECT MIN(lane) ${ready} AND lane > previous.lane AND lane <= wanted.last)
          FROM every_lane previous, wanted WHERE previous.lane IS NOT NULL
        )
      SELECT previous.lane, (SELECT MIN(position) ${ready} AND lane = previous.lane) AS earliest
      FROM every_lane previous, wanted WHERE previous.lane IS NOT NULL LIMIT ${sql.integer(limit)}`;
  };
}

/** Every value of a column with an index, by one look-up each: SQLite has no loose index scan. */
function everyValue(column: Fragment, table: Fragment): Fragment {
  return sql`
    WITH RECURSIVE every_value (value) AS (
      SELECT (SELECT MIN(${column}) FROM ${table})
      UNION ALL
      SELECT (SELECT MIN(${column}) FROM ${table} WHERE ${column} > previous.value) FROM every_value previous
      WHERE previous.value IS NOT NULL
    )
    SELECT value AS ${column} FROM every_value WHERE value IS NOT NULL`;
}
