import { UnsupportedDatabaseError } from '../../../errors/index.js';

/** Major, minor, patch. */
export type Version = readonly [number, number, number];

interface Flavour {
  readonly name: string;
  /** The oldest tested version. */
  readonly oldest: Version;
  /** The first version with SKIP LOCKED. */
  readonly skipsLocked: Version;
}

const MYSQL: Flavour = { name: 'MySQL', oldest: [5, 6, 24], skipsLocked: [8, 0, 1] };
const MARIADB: Flavour = { name: 'MariaDB', oldest: [10, 5, 0], skipsLocked: [10, 6, 0] };

/**
 * Refuses servers that were not tested. TiDB reports MySQL 8.0.11, accepts SKIP LOCKED and ignores it, and FOR UPDATE
 * with it: two workers would get the same job.
 *
 * @param text the result of `SELECT VERSION()`.
 * @throws UnsupportedDatabaseError
 */
export function assertServerVersion(text: string): void {
  if (/tidb/i.test(text)) {
    throw new UnsupportedDatabaseError(`TiDB (${text}), which accepts SKIP LOCKED and ignores it`);
  }
  const version = parse(text);
  if (!version) {
    throw new UnsupportedDatabaseError(`a server of the unknown version "${text}"`);
  }
  const { name, oldest } = /mariadb/i.test(text) ? MARIADB : MYSQL;
  if (isBefore(version, oldest)) {
    throw new UnsupportedDatabaseError(`${name} ${version.join('.')}`);
  }
}

/** The version of a server. */
export interface ServerVersion {
  /** As the server reports it. */
  readonly text: string;
  readonly flavour: 'MySQL' | 'MariaDB';
  /** Undefined where the text is not a version. */
  readonly number: Version | undefined;
}

/** @param text the result of `SELECT VERSION()`. */
export function serverVersion(text: string): ServerVersion {
  return { text, flavour: /mariadb/i.test(text) ? 'MariaDB' : 'MySQL', number: parse(text) };
}

/** A data source with the type of another server. */
interface WrongType {
  readonly problem: string;
  readonly advice: string;
  /** The type of its server. */
  readonly right: string;
}

/**
 * What is wrong with the `type` of a data source, and what to do; undefined if it is the type of its server.
 *
 * @param text the server's version, also as TypeORM keeps it, without the server's name.
 */
export function wrongType(type: string, text: string | undefined): WrongType | undefined {
  const version = parse(text);
  const { name } = isMariadb(text) ? MARIADB : MYSQL;
  const right = name.toLowerCase();
  if (!version || type === right) {
    return undefined;
  }
  return {
    problem:
      `The data source has the type "${type}", but the server is ${name}: each "synchronize" and each generated ` +
      'migration can change the same columns again.',
    advice: `Set type: '${right}' in the options of the data source.`,
    right,
  };
}

/** Whether a version is at or after `first` and before `end`. */
export function isBetween(version: Version, first: Version, end: Version): boolean {
  return !isBefore(version, first) && isBefore(version, end);
}

/**
 * Whether a server accepts SKIP LOCKED. For whether it works see `probeSkipLocked`.
 *
 * @param text a version as TypeORM keeps it, without the server's name; those of MySQL and MariaDB do not overlap.
 */
export function supportsSkipLocked(text: string | undefined): boolean {
  const version = parse(text);
  return !version || !isBefore(version, isMariadb(text) ? MARIADB.skipsLocked : MYSQL.skipsLocked);
}

/** Whether a server is MariaDB, by a version as TypeORM keeps it. */
export function isMariadb(text: string | undefined): boolean {
  return (parse(text)?.[0] ?? 0) >= MARIADB.oldest[0];
}

/** Where MariaDB got `innodb_snapshot_isolation`, by series. All later series have it. */
const SNAPSHOT_ISOLATION: readonly (readonly [first: Version, end: Version])[] = [
  [
    [10, 6, 18],
    [10, 7, 0],
  ],
  [
    [10, 11, 8],
    [11, 0, 0],
  ],
  [
    [11, 4, 2],
    [100, 0, 0],
  ],
];

/** Whether a server has the variable `innodb_snapshot_isolation`. */
export function hasSnapshotIsolation(text: string | undefined): boolean {
  const version = parse(text);
  return version !== undefined && SNAPSHOT_ISOLATION.some(([first, end]) => isBetween(version, first, end));
}

/** Whether a server has the variable `transaction_isolation`. Others, and some of those, have `tx_isolation`. */
export function hasTransactionIsolation(text: string | undefined): boolean {
  const version = parse(text);
  return !version || !isBefore(version, isMariadb(text) ? [11, 1, 1] : [5, 7, 20]);
}

/** Whether it is a MySQL without `performance_schema.global_status`. */
export function isOlderMysql(text: string | undefined): boolean {
  const version = parse(text);
  return version !== undefined && isBefore(version, [5, 7, 6]);
}

/** Behind some proxies MariaDB puts 5.5.5- before its version, for old replicas; alone it is no version. */
function parse(text = ''): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text.replace(/^5\.5\.5(-|$)/, ''));
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

function isBefore(version: Version, other: Version): boolean {
  const index = version.findIndex((number, at) => number !== other[at]);
  return index >= 0 && (version[index] as number) < (other[index] as number);
}
