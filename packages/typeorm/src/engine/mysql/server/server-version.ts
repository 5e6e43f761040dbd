import { UnsupportedDatabaseError } from '../../../errors/index.js';

/** Major, minor, patch. */
export type Version = readonly [number, number, number];

interface Flavour {
  readonly name: string;
  /** The oldest version that the tests were run on. */
  readonly oldest: Version;
  /** The first version with SKIP LOCKED. */
  readonly skipsLocked: Version;
}

const MYSQL: Flavour = { name: 'MySQL', oldest: [5, 6, 24], skipsLocked: [8, 0, 1] };
const MARIADB: Flavour = { name: 'MariaDB', oldest: [10, 5, 0], skipsLocked: [10, 6, 0] };

/**
 * Refuses servers on which nothing was tried. TiDB calls itself MySQL 8.0.11, takes SKIP LOCKED and ignores it, and
 * FOR UPDATE with it: two workers would get the same job.
 *
 * @param text what `SELECT VERSION()` answers.
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

/** A server's version, as far as it is known. */
export interface ServerVersion {
  /** What the server calls itself. */
  readonly text: string;
  readonly flavour: 'MySQL' | 'MariaDB';
  /** Undefined where the text is not one of a version. */
  readonly number: Version | undefined;
}

/** @param text what `SELECT VERSION()` answers. */
export function serverVersion(text: string): ServerVersion {
  return { text, flavour: /mariadb/i.test(text) ? 'MariaDB' : 'MySQL', number: parse(text) };
}

/** Whether a version is one of those from the first up to, but not, the second. */
export function isBetween(version: Version, first: Version, end: Version): boolean {
  return !isBefore(version, first) && isBefore(version, end);
}

/**
 * Whether a server knows the words SKIP LOCKED. Whether they do what they say is tried: see `probeSkipLocked`.
 *
 * @param text a version as TypeORM keeps it, without the server's name; MySQL's and MariaDB's do not overlap.
 */
export function knowsSkipLocked(text: string | undefined): boolean {
  const version = parse(text);
  return !version || !isBefore(version, version[0] >= MARIADB.oldest[0] ? MARIADB.skipsLocked : MYSQL.skipsLocked);
}

/** Whether it is a MySQL that has no `performance_schema.global_status`. */
export function isOlderMysql(text: string | undefined): boolean {
  const version = parse(text);
  return version !== undefined && isBefore(version, [5, 7, 6]);
}

/** Behind some proxies MariaDB puts 5.5.5- before its version, for old replicas; alone that is no version. */
function parse(text = ''): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text.replace(/^5\.5\.5(-|$)/, ''));
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

function isBefore(version: Version, other: Version): boolean {
  const index = version.findIndex((part, place) => part !== other[place]);
  return index >= 0 && (version[index] as number) < (other[index] as number);
}
