import type { TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect, EndedMember, LockedRowCache, UpdateUnlocked } from '../dialect.js';
import { type Fragment, sql } from '../sql.js';
import { IdLiterals } from './id-literals.js';
import { lockName } from './lock-name.js';
import { MysqlLockedRowCache } from './locked-row-cache.js';
import { isLockWaitTimeout, isStatementTimeout } from './mysql-errors.js';
import { mysqlSnapshots } from './mysql-snapshots.js';
import { SERVER_VARIABLE } from './server/server-identity.js';
import { isMariadb, supportsSkipLocked } from './server/server-version.js';

const FOR_UPDATE = sql`FOR UPDATE`;
const FOR_UPDATE_SKIP_LOCKED = sql`FOR UPDATE SKIP LOCKED`;
const UNION_ALL = sql` UNION ALL `;

/**
 * UTC_TIMESTAMP, never NOW: enqueues run on the application's connection, in any time zone. Without spaces, because
 * each row of an INSERT has it.
 */
const NOW = sql`(TIMESTAMPDIFF(MICROSECOND,'1970-01-01',UTC_TIMESTAMP(6))DIV 1000)`;

/** What statements must know of their session. */
export interface SessionFacts {
  /** See `Dialect`. */
  readonly packetBytes: number;
  /** See `Dialect`. */
  readonly isOneOfMany?: boolean;
}

/** MySQL and MariaDB. */
export class MysqlDialect implements Dialect {
  /** Of a server as it is installed. Statements get the dialect of their session: see `forSession`. */
  readonly packetBytes: number = 16 * 1024 * 1024;
  readonly isOneOfMany: boolean = false;
  readonly forUpdate = FOR_UPDATE;
  readonly byPrimaryKey = sql`FORCE INDEX (PRIMARY)`;
  readonly rangesByRowComparison = false;
  readonly affectedByUpdate = 2;
  readonly joinInOrder = sql`STRAIGHT_JOIN`;
  readonly insertIgnore = sql`INSERT IGNORE INTO`;
  readonly server = SERVER_VARIABLE;
  readonly lockName = lockName;
  readonly snapshots = mysqlSnapshots;
  /** See docs/decisions/0026. */
  readonly jobsPerInsert = 1_000;
  /** An INSERT of MySQL can read columns that it has set: see docs/decisions/0025. */
  readonly nowAfterCreatedAt = sql`created_at`;

  readonly byLane: Fragment;
  readonly byAuditTime: Fragment;
  readonly byFinished: Fragment;
  readonly bySignalStage: Fragment;
  readonly lanes: Fragment;
  readonly queues: Fragment;
  readonly uniqueNames: Fragment;
  private readonly bySession = new Map<string, MysqlDialect>();
  private readonly lockedRowCache: LockedRowCache | undefined;

  /**
   * @param version the server's version, once it is known.
   * @param isForWorker whether it is for connections of a worker, which wait for a row only briefly.
   */
  constructor(
    readonly tables: TableNames,
    private readonly clock: DatabaseClock,
    private readonly version: () => string | undefined,
    isForWorker: boolean,
  ) {
    this.byLane = sql`FORCE INDEX (${tables.laneIndex})`;
    this.byAuditTime = sql`FORCE INDEX (${tables.auditIndex})`;
    this.byFinished = sql`FORCE INDEX (${tables.finishedIndex})`;
    this.bySignalStage = sql`FORCE INDEX (${tables.signalStageIndex})`;
    // MIN and MAX with GROUP BY on a prefix of the index are a loose index scan ("Using index for group-by") on both
    // servers.
    this.lanes = sql`
      SELECT queue, state, lane, MIN(position) AS earliest, MAX(position) AS latest FROM ${tables.job} ${this.byLane}
      GROUP BY queue, state, lane`;
    this.queues = sql`SELECT queue FROM ${tables.job} ${this.byLane} GROUP BY queue`;
    this.uniqueNames = sql`SELECT name FROM ${tables.unique} ${this.byPrimaryKey} GROUP BY name`;
    this.lockedRowCache = isForWorker ? new MysqlLockedRowCache() : undefined;
  }

  /** The dialect of sessions with another `max_allowed_packet`, or on a node of a cluster. */
  forSession({ packetBytes, isOneOfMany = false }: SessionFacts): MysqlDialect {
    if (packetBytes === this.packetBytes && !isOneOfMany) {
      return this;
    }
    const kind = `${packetBytes} ${isOneOfMany}`;
    let dialect = this.bySession.get(kind);
    if (!dialect) {
      const facts = { packetBytes: { value: packetBytes }, isOneOfMany: { value: isOneOfMany } };
      dialect = Object.create(this, facts) as MysqlDialect;
      this.bySession.set(kind, dialect);
    }
    return dialect;
  }

  get now(): Fragment {
    const { shift } = this.clock;
    return shift === 0 ? NOW : sql`(${NOW} + ${sql.integer(Math.trunc(shift))})`;
  }

  get forUpdateSkipLocked(): Fragment {
    return supportsSkipLocked(this.version()) ? FOR_UPDATE_SKIP_LOCKED : FOR_UPDATE;
  }

  get lockedRows(): LockedRowCache | undefined {
    return supportsSkipLocked(this.version()) ? undefined : this.lockedRowCache;
  }

  readonly isLockWaitTimeout = isLockWaitTimeout;
  readonly isTimeout = isStatementTimeout;

  /** Each server has its own way, and reads that of the other as a comment, or not at all. */
  readonly selectWithin = (milliseconds: number, selected: Fragment): Fragment => {
    const limit = sql.integer(milliseconds);
    return isMariadb(this.version())
      ? sql`SET STATEMENT max_statement_time = ${limit} / 1000 FOR SELECT ${selected}`
      : sql`SELECT /*+ MAX_EXECUTION_TIME(${limit}) */ ${selected}`;
  };

  /** MariaDB can wait for no time. MySQL waits for a second, on the connections of workers: see docs/decisions/0147. */
  get updateUnlocked(): UpdateUnlocked | undefined {
    const version = this.version();
    if (version === undefined || !supportsSkipLocked(version)) {
      return undefined;
    }
    const update: UpdateUnlocked = (table, condition, assignments) =>
      sql`UPDATE ${table} ${this.byPrimaryKey} SET ${assignments} WHERE ${condition}`;
    if (isMariadb(version)) {
      return (...change) => sql`SET STATEMENT innodb_lock_wait_timeout = 0 FOR ${update(...change)}`;
    }
    return this.lockedRowCache && update;
  }

  get canSkipLocked(): boolean {
    return supportsSkipLocked(this.version()) || this.lockedRowCache !== undefined;
  }

  /** Enums have the character set of the database, and their words fit into each. */
  readonly narrowColumns = (table: Fragment): Fragment =>
    sql`SHOW FULL COLUMNS FROM ${table}
        WHERE Collation NOT LIKE 'utf8mb4%' AND Collation NOT LIKE 'ascii%' AND Type NOT LIKE 'enum%'`;

  /** Only the multi-table form of DELETE takes an index hint. */
  readonly deleteFrom = (table: Fragment): Fragment => sql`DELETE target FROM ${table} target ${this.byPrimaryKey}`;

  readonly idList = (ids: readonly Buffer[]): Fragment => sql`${new IdLiterals(ids)}`;

  readonly deleteKeysOfJobs = (ids: readonly Buffer[]): Fragment =>
    sql`DELETE target FROM ${this.tables.job} job ${this.byPrimaryKey}
        STRAIGHT_JOIN ${this.tables.key} target ${this.byPrimaryKey}
          ON target.job_key = job.job_key AND target.job_id = job.id
        WHERE job.id IN (${sql.list(ids)})`;

  readonly completeGroupMembers = (members: readonly EndedMember[]): Fragment => {
    const ended = members.map(
      ({ groupId, jobId, outcome }) => sql`SELECT ${groupId} AS group_id, ${jobId} AS job_id, ${outcome} AS outcome`,
    );
    return sql`UPDATE (${sql.join(ended, UNION_ALL)}) ended
               STRAIGHT_JOIN ${this.tables.member} target ${this.byPrimaryKey}
                 ON target.group_id = ended.group_id AND target.outcome = 'open' AND target.job_id = ended.job_id
               SET target.outcome = ended.outcome`;
  };

  readonly deleteGroupMembers = (groupIds: readonly Buffer[]): Fragment => {
    const wanted = groupIds.map((id) => sql`SELECT ${id} AS id`);
    return sql`DELETE target FROM (${sql.join(wanted, UNION_ALL)}) wanted
               STRAIGHT_JOIN ${this.tables.member} target ${this.byPrimaryKey} ON target.group_id = wanted.id`;
  };

  readonly isLockFree = (name: Fragment): Fragment => sql`IS_FREE_LOCK(${name}) = 1`;
  readonly onConflictUpdate = (): Fragment => sql`ON DUPLICATE KEY UPDATE`;
  readonly newValue = (column: Fragment): Fragment => sql`VALUES(${column})`;
  readonly onConflictLock = (column: Fragment): Fragment => sql`ON DUPLICATE KEY UPDATE ${column} = ${column}`;

  /**
   * Only with the queues given is the state part of the range. Where few jobs run the servers read them all, otherwise
   * from lane to lane; never more jobs run than workers have capacity for.
   */
  readonly runningLanes = (queues: readonly string[]): Fragment =>
    sql`SELECT queue, lane AS owner FROM ${this.tables.job} ${this.byLane}
        WHERE queue IN (${sql.list(queues)}) AND state = 'running'
        GROUP BY queue, state, lane`;

  /**
   * A loose index scan too, and one that ends at the limit. With `state = 'ready'` alone MariaDB 10.11 reads all lanes
   * into a temporary table and sorts them; all scheduled jobs are in lane 0.
   */
  readonly readyLanes = (queue: string, above: number, upTo: number, limit: number): Fragment =>
    sql`SELECT lane, MIN(position) AS earliest FROM ${this.tables.job} ${this.byLane}
        WHERE queue = ${queue} AND state IN ('scheduled', 'ready') AND lane > ${above} AND lane <= ${upTo}
        GROUP BY queue, state, lane LIMIT ${sql.integer(limit)}`;
}
