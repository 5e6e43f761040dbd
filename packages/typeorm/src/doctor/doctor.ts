import type { DataSource, QueryRunner } from 'typeorm';

import { DEFAULT_MAX_PAYLOAD_BYTES, LARGEST_PAYLOAD } from '../definition/payload-json.js';
import { type Duration, toMilliseconds } from '../duration.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../engine/engine.js';
import { serverVersion } from '../engine/mysql/server/server-version.js';
import { type Fragment, sql } from '../engine/sql.js';
import { DataSourceNotInitializedError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import type { Check } from './check.js';
import { CHEAP_MYSQL_CHECKS, MYSQL_CHECKS } from './checks/mysql/index.js';
import { SQLITE_CHECKS } from './checks/sqlite.js';
import type { DoctorLimits, Examined, ExaminedServer } from './examined.js';
import { type Finding, unknown } from './finding.js';

/** Options of `examineDatabase`. */
export interface DoctorOptions {
  /** The `maxPayloadBytes` of the application's queue, in bytes. Default: 1 MiB. */
  readonly maxPayloadBytes?: number;
  /** The age from which an open transaction is reported. Default: `'1m'`. */
  readonly maxTransactionAge?: Duration;
}

/** How long to wait for an answer in a worker's session, in ms. */
const ANSWER_TIMEOUT = 10_000;

/**
 * Examines the database of a queue: the server and its settings, the sessions of the application and of a worker, the
 * tables and the query plan of the claim. It changes nothing. It sends a few dozen short statements, and uses one
 * connection of the application's pool and up to eight others. No statement reads a table of jobs.
 *
 * @param dataSource an initialized data source with the queue's entities.
 * @returns the finding of each check, in a fixed order.
 * @throws DataSourceNotInitializedError when the data source is not initialized.
 * @throws EntityError when the data source does not have the right entities.
 * @throws UnsupportedDatabaseError for another database.
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 */
export async function examineDatabase(dataSource: DataSource, options: DoctorOptions = {}): Promise<Finding[]> {
  const limits = resolveLimits(options);
  if (!dataSource.isInitialized) {
    throw new DataSourceNotInitializedError();
  }
  const engine = createEngine(dataSource);
  const session = dataSource.createQueryRunner('master');
  try {
    const examined: Examined = { dataSource, engine, session, limits, query: queryIn(session) };
    return engine.isSynchronous ? await runAll(SQLITE_CHECKS, examined) : await examineServer(examined);
  } finally {
    await session.release();
  }
}

/**
 * Runs the checks that only read settings and counters of the server: a few statements on one connection of the
 * application, which may have no other. None on SQLite.
 */
export async function examineCheaply(dataSource: DataSource, maxPayloadBytes: number): Promise<Finding[]> {
  const engine = createEngine(dataSource);
  if (engine.isSynchronous) {
    return [];
  }
  const session = dataSource.createQueryRunner('master');
  try {
    const limits = resolveLimits({ maxPayloadBytes });
    const examined = { dataSource, engine, session, limits, query: queryIn(session) };
    return await runAll(CHEAP_MYSQL_CHECKS, await serverOf(examined, engine));
  } finally {
    await session.release();
  }
}

function queryIn(session: QueryRunner): Examined['query'] {
  return async (statement) => (await session.query(statement.sql, [...statement.parameters])) as never;
}

/** Takes one connection of the application's pool, which may have only one. Other checks use a worker's sessions. */
async function examineServer(examined: Examined): Promise<Finding[]> {
  const worker = examined.engine.dedicated(ANSWER_TIMEOUT);
  try {
    // The check "worker-session" reports the error.
    await worker.open().catch(() => undefined);
    return await runAll(MYSQL_CHECKS, await serverOf(examined, worker));
  } finally {
    await worker.close();
  }
}

async function serverOf(examined: Examined, worker: Engine): Promise<ExaminedServer> {
  const [row] = await examined.query<{ version: string; account: string; base: string }>(
    sql`SELECT VERSION() AS version, CURRENT_USER() AS account, DATABASE() AS base`,
  );
  const { version = '', account = '', base = '' } = row ?? {};
  return {
    ...examined,
    engine: worker,
    version: serverVersion(version),
    account: `'${account.replace('@', "'@'")}'`,
    database: examined.dataSource.driver.escape(base),
    variables: await valuesOf(examined, sql`SHOW SESSION VARIABLES`),
    globals: await valuesOf(examined, sql`SHOW GLOBAL VARIABLES`),
    status: await valuesOf(examined, sql`SHOW GLOBAL STATUS`),
  };
}

async function valuesOf({ query }: Examined, show: Fragment): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ Variable_name: string; Value: string }>(show);
  return new Map(rows.map(({ Variable_name: name, Value: value }) => [name.toLowerCase(), value]));
}

/**
 * Runs the checks one after another, because they share a session. Checks with a session of their own run beside them:
 * on MySQL 9.7 the comparison of the tables takes 70 of 104 ms.
 */
async function runAll<Subject extends Examined>(
  checks: readonly Check<Subject>[],
  subject: Subject,
): Promise<Finding[]> {
  const own = checks.filter(({ hasOwnSession }) => hasOwnSession);
  const beside = Promise.all(own.map((check) => findingOf(check, subject)));
  const findings: Finding[] = [];
  for (const check of checks.filter(({ hasOwnSession }) => !hasOwnSession)) {
    findings.push(await findingOf(check, subject));
    await rollBackOpen(subject.session);
  }
  findings.push(...(await beside));
  const order = checks.map(({ name }) => name);
  return findings.sort((a, b) => order.indexOf(a.check) - order.indexOf(b.check));
}

async function findingOf<Subject extends Examined>(check: Check<Subject>, subject: Subject): Promise<Finding> {
  try {
    return { check: check.name, ...(await check.run(subject)) };
  } catch (error) {
    return { check: check.name, ...unknown(firstLine(error), 'The check could not run.') };
  }
}

/** Ends the transaction of a failed check before the next one. */
async function rollBackOpen(session: QueryRunner): Promise<void> {
  if (session.isTransactionActive) {
    await session.rollbackTransaction().catch(() => undefined);
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

function resolveLimits(options: DoctorOptions): DoctorLimits {
  assertKnownOptions(options, ['maxPayloadBytes', 'maxTransactionAge']);
  const { maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES, maxTransactionAge = '1m' } = options;
  return {
    maxPayloadBytes: wholeNumber('maxPayloadBytes', maxPayloadBytes, 1, LARGEST_PAYLOAD),
    maxTransactionAge: toMilliseconds('maxTransactionAge', maxTransactionAge),
  };
}
