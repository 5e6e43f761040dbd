import type { HistoryTable, TableNames } from '../../tables/table-names.js';
import type { DatabaseClock } from '../clock.js';
import type { Dialect, LockedRowCache } from '../dialect.js';
import { type Fragment, sql } from '../sql.js';
import { MysqlLockedRowCache } from './locked-row-cache.js';
import { IdLiterals } from './id-literals.js';
import { LOCK_NAME } from './lock-name.js';
import { mysqlSnapshots } from './mysql-snapshots.js';
import { SERVER_VARIABLE } from './server/server-identity.js';
import { knowsSkipLocked } from './server/server-version.js';

const OR_ANOTHER = ' OR (id = ? AND finished_at = ?)';

/** MySQL and MariaDB. */
export class MysqlDialect implements Dialect {
  readonly forUpdate = 'FOR UPDATE';
  readonly byPrimaryKey = 'FORCE INDEX (PRIMARY)';
  readonly rangesByRows = false;
  readonly insertIgnore = 'INSERT IGNORE INTO';
  readonly server = SERVER_VARIABLE;
  readonly lockName = LOCK_NAME;
  readonly snapshots = mysqlSnapshots;
  readonly showSnapshotIsolation = "SHOW SESSION VARIABLES LIKE 'innodb_snapshot_isolation'";

  readonly byLane: string;
  readonly byFailureTime: string;
  readonly byFailureQueue: string;
  readonly byAuditTime: string;
  readonly byFinished: string;
  /**
   * A call for as many is one statement, and needs no transaction around it: with 500 it stored 6 % fewer on MySQL 9.7 and
   * 11 % fewer on MariaDB 10.11 (2026-11-23).
   */
  readonly jobsPerInsert = 1_000;
  /** An INSERT of MySQL reads columns that it has set: fewer values and shorter rows, 5 to 14 % more jobs (2026-11-23). */
  readonly nowOnceCreated = 'created_at';

  private readonly held: LockedRowCache | undefined;

  /**
   * @param version that of the server, once it is known.
   * @param isForWorker whether it is for connections of a worker's own, which wait for a row only briefly.
   */
  constructor(
    readonly tables: TableNames,
    private readonly clock: DatabaseClock,
    private readonly version: () => string | undefined,
    isForWorker: boolean,
  ) {
    this.byLane = `FORCE INDEX (${tables.laneIndex})`;
    this.byFailureTime = `FORCE INDEX (${tables.failureIndexes.time})`;
    this.byFailureQueue = `FORCE INDEX (${tables.failureIndexes.queue})`;
    this.byAuditTime = `FORCE INDEX (${tables.auditIndex})`;
    this.byFinished = `FORCE INDEX (${tables.finishedIndex})`;
    this.held = isForWorker ? new MysqlLockedRowCache() : undefined;
  }

  get forUpdateSkipLocked(): string {
    return knowsSkipLocked(this.version()) ? 'FOR UPDATE SKIP LOCKED' : 'FOR UPDATE';
  }

  get lockedRows(): LockedRowCache | undefined {
    return knowsSkipLocked(this.version()) ? undefined : this.held;
  }

  get canSkipLocked(): boolean {
    return knowsSkipLocked(this.version()) || this.held !== undefined;
  }

  /** Only the multi-table form of DELETE takes an index hint. */
  readonly deleteFrom = (table: Fragment): string => `DELETE target FROM ${table} target ${this.byPrimaryKey}`;

  readonly idList = (ids: readonly Buffer[]): Fragment => sql`${new IdLiterals(ids)}`;

  readonly deleteKeysOfJobs = (count: number): string =>
    `DELETE target FROM ${this.tables.job} job ${this.byPrimaryKey}
     ${this.keysOfJobs}
     WHERE job.id IN (?${', ?'.repeat(count - 1)})`;

  readonly atPlaces = (count: number): string => `(id = ? AND finished_at = ?)${OR_ANOTHER.repeat(count - 1)}`;

  readonly deletePlaces = (count: number): string =>
    `DELETE target FROM ${listOfPlaces(count)} wanted
     STRAIGHT_JOIN ${this.tables.history} target ${this.byPrimaryKey}
       ON target.id = wanted.id AND target.finished_at = wanted.finished_at`;

  readonly deleteKeysOfPlaces = (count: number): string =>
    `DELETE target FROM ${listOfPlaces(count)} wanted
     STRAIGHT_JOIN ${this.tables.history} job ${this.byPrimaryKey}
       ON job.id = wanted.id AND job.finished_at = wanted.finished_at
     ${this.keysOfJobs}`;

  readonly endMembers = (count: number): string =>
    `UPDATE (SELECT ? AS group_id, ? AS job_id, ? AS outcome${' UNION ALL SELECT ?, ?, ?'.repeat(count - 1)}) ended
     STRAIGHT_JOIN ${this.tables.member} target ${this.byPrimaryKey}
       ON target.group_id = ended.group_id AND target.outcome = 'open' AND target.job_id = ended.job_id
     SET target.outcome = ended.outcome`;

  readonly deleteMembersOf = (count: number): string =>
    `DELETE target FROM (SELECT ? AS id${' UNION ALL SELECT ?'.repeat(count - 1)}) wanted
     STRAIGHT_JOIN ${this.tables.member} target ${this.byPrimaryKey} ON target.group_id = wanted.id`;

  readonly isLockFree = (name: string): string => `IS_FREE_LOCK(${name}) = 1`;
  readonly orChangeExisting = (): string => 'ON DUPLICATE KEY UPDATE';
  readonly orLockExisting = (column: string): string => `ON DUPLICATE KEY UPDATE ${column} = ${column}`;

  /**
   * A loose index scan too, and one that ends at the limit. With `state = 'ready'` alone MariaDB 10.11 reads all lanes into
   * a temporary table and sorts them; no scheduled job has an owner.
   */
  readonly readyLanes = (limit: number): string =>
    `SELECT owner, MIN(position) AS earliest FROM ${this.tables.job} ${this.byLane}
     WHERE queue = ? AND state IN ('scheduled', 'ready') AND owner > ? AND owner <= ?
     GROUP BY queue, state, owner LIMIT ${Math.trunc(limit)}`;

  get partitionable(): HistoryTable {
    return this.tables.historyTable;
  }

  private get keysOfJobs(): string {
    return `STRAIGHT_JOIN ${this.tables.key} target ${this.byPrimaryKey}
       ON target.job_key = job.job_key AND target.job_id = job.id`;
  }

  /**
   * UTC_TIMESTAMP, never NOW: enqueues run on the application's connection, in whatever time zone that is. Without spaces:
   * each row of an INSERT has it.
   */
  get now(): string {
    const now = "(TIMESTAMPDIFF(MICROSECOND,'1970-01-01',UTC_TIMESTAMP(6))DIV 1000)";
    return this.clock.shift === 0 ? now : `(${now} + ${Math.trunc(this.clock.shift)})`;
  }

  /** MIN with GROUP BY on a prefix of the index is a loose index scan ("Using index for group-by") on both servers. */
  get lanes(): string {
    return `SELECT queue, state, owner, MIN(position) AS earliest
            FROM ${this.tables.job} ${this.byLane}
            GROUP BY queue, state, owner`;
  }

  get queues(): string {
    return `SELECT queue FROM ${this.tables.job} ${this.byLane} GROUP BY queue`;
  }

  /**
   * Only with the queues given is the state part of the range. Where few jobs run the servers read them all, otherwise from
   * lane to lane; there are never more than workers have room for.
   */
  readonly runningLanes = (queues: number): string =>
    `SELECT queue, owner FROM ${this.tables.job} ${this.byLane}
     WHERE queue IN (?${', ?'.repeat(queues - 1)}) AND state = 'running'
     GROUP BY queue, state, owner`;
}

/** A table of so many places of the history. */
function listOfPlaces(count: number): string {
  return `(SELECT ? AS id, ? AS finished_at${' UNION ALL SELECT ?, ?'.repeat(count - 1)})`;
}
