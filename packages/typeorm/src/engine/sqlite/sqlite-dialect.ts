import type { TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect, EndedMember } from '../dialect.js';
import { type Fragment, sql } from '../sql.js';

const UNION_ALL = sql` UNION ALL `;
const NULL = sql`NULL`;

/** The clock of the machine, in whole milliseconds: unixepoch returns a fraction of a second. */
const NOW = sql`CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)`;

/** SQLite. A write transaction locks the whole database, so no row is ever locked and no index needs a hint. */
export class SqliteDialect implements Dialect {
  readonly packetBytes = Infinity;
  readonly forUpdate = sql.empty;
  readonly forUpdateSkipLocked = sql.empty;
  readonly lockedRows = undefined;
  readonly canSkipLocked = true;
  readonly byPrimaryKey = sql.empty;
  readonly byLane = sql.empty;
  readonly byFailureTime = sql.empty;
  readonly byFailureQueue = sql.empty;
  readonly byAuditTime = sql.empty;
  readonly byFinished = sql.empty;
  readonly rangesByRowComparison = true;
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

  readonly lockName = (): Fragment => NULL;
  readonly isLockFree = (): Fragment => sql`FALSE`;
  readonly deleteFrom = (table: Fragment): Fragment => sql`DELETE FROM ${table}`;
  readonly idList = (ids: readonly Buffer[]): Fragment => sql.list(ids);
  readonly onConflictUpdate = (key: Fragment): Fragment => sql`ON CONFLICT (${key}) DO UPDATE SET`;
  readonly onConflictLock = (): Fragment => sql`ON CONFLICT DO NOTHING`;

  readonly deleteGroupMembers = (groupIds: readonly Buffer[]): Fragment =>
    sql`DELETE FROM ${this.tables.member} WHERE group_id IN (${sql.list(groupIds)})`;

  readonly deleteKeysOf = (table: Fragment, ids: readonly Buffer[]): Fragment =>
    sql`DELETE FROM ${this.tables.key}
        WHERE (job_key, job_id) IN (SELECT job_key, id FROM ${table} WHERE id IN (${sql.list(ids)}))`;

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
   * does so one column at a time: of `(queue, state, owner) > (?, ?, ?)` SQLite only uses the first column.
   */
  get lanes(): Fragment {
    const { job } = this.tables;
    const first = (column: Fragment, condition: Fragment) => sql`SELECT MIN(${column}) FROM ${job} WHERE ${condition}`;
    const queue = sql`queue`;
    const state = sql`state`;
    const owner = sql`owner`;
    const ofQueue = sql`queue = lane.queue`;
    const ofState = sql`${ofQueue} AND state = lane.state`;
    return sql`
      WITH RECURSIVE
        every_queue (queue) AS (
          SELECT (SELECT MIN(queue) FROM ${job})
          UNION ALL
          SELECT (${first(queue, sql`queue > lane.queue`)}) FROM every_queue lane WHERE lane.queue IS NOT NULL
        ),
        every_state (queue, state) AS (
          SELECT queue, (${first(state, ofQueue)}) FROM every_queue lane WHERE queue IS NOT NULL
          UNION ALL
          SELECT queue, (${first(state, sql`${ofQueue} AND state > lane.state`)}) FROM every_state lane
          WHERE lane.state IS NOT NULL
        ),
        every_lane (queue, state, owner) AS (
          SELECT queue, state, (${first(owner, ofState)}) FROM every_state lane WHERE state IS NOT NULL
          UNION ALL
          SELECT queue, state, (${first(owner, sql`${ofState} AND owner > lane.owner`)}) FROM every_lane lane
          WHERE lane.owner IS NOT NULL
        )
      SELECT queue, state, owner, (${first(sql`position`, sql`${ofState} AND owner = lane.owner`)}) AS earliest
      FROM every_lane lane WHERE owner IS NOT NULL`;
  }

  get queues(): Fragment {
    const { job } = this.tables;
    return sql`
      WITH RECURSIVE every_queue (queue) AS (
        SELECT (SELECT MIN(queue) FROM ${job})
        UNION ALL
        SELECT (SELECT MIN(queue) FROM ${job} WHERE queue > lane.queue) FROM every_queue lane
        WHERE lane.queue IS NOT NULL
      )
      SELECT queue FROM every_queue WHERE queue IS NOT NULL`;
  }

  readonly runningLanes = (queues: readonly string[]): Fragment => {
    const next = sql`SELECT MIN(owner) FROM ${this.tables.job} WHERE queue = lane.queue AND state = 'running'`;
    return sql`
      WITH RECURSIVE
        wanted (queue) AS (VALUES ${sql.join(queues.map((queue) => sql`(${queue})`))}),
        every_lane (queue, owner) AS (
          SELECT queue, (${next}) FROM wanted lane
          UNION ALL
          SELECT queue, (${next} AND owner > lane.owner) FROM every_lane lane WHERE lane.owner IS NOT NULL
        )
      SELECT queue, owner FROM every_lane WHERE owner IS NOT NULL`;
  };

  readonly readyLanes = (queue: string, above: number, upTo: number, limit: number): Fragment => {
    const { job } = this.tables;
    const ready = sql`FROM ${job} WHERE queue = wanted.queue AND state = 'ready'`;
    return sql`
      WITH RECURSIVE
        wanted (queue, before, last) AS (SELECT ${queue}, ${above}, ${upTo}),
        lane (owner) AS (
          SELECT (SELECT MIN(owner) ${ready} AND owner > wanted.before AND owner <= wanted.last) FROM wanted
          UNION ALL
          SELECT (SELECT MIN(owner) ${ready} AND owner > lane.owner AND owner <= wanted.last)
          FROM lane, wanted WHERE lane.owner IS NOT NULL
        )
      SELECT lane.owner, (SELECT MIN(position) ${ready} AND owner = lane.owner) AS earliest
      FROM lane, wanted WHERE lane.owner IS NOT NULL LIMIT ${sql.integer(limit)}`;
  };
}
