import { COMMIT } from './against.js';
import type { Results } from './results.js';

/** What is promised, and what came out. */
export interface Verdict {
  readonly target: string;
  readonly value: number;
  readonly bound: string;
  readonly isMet: boolean;
}

interface Target {
  readonly name: string;
  readonly value: (results: Results) => number;
  readonly least?: number;
  readonly most?: number;
}

const MARIADB = 'Tablequeue, MariaDB';
const MYSQL = 'Tablequeue, MySQL';
const SQLITE = 'Tablequeue, SQLite';
const REDIS = 'BullMQ, Redis, nothing persisted';
const REDIS_FSYNC = 'BullMQ, Redis, fsync always';
const GRAPHILE = 'graphile-worker, PostgreSQL';
const PG_BOSS = 'pg-boss, PostgreSQL';
const DBOS = 'DBOS, PostgreSQL';
const bare = (subject: string) => subject.replace('Tablequeue', 'bare pipeline');

const SERVERS = [MARIADB, MYSQL];
/** The commit of version 0.1, with which the costs are compared: `--against=d4749d8`. */
const VERSION_0_1 = 'd4749d8';

function ratio(number: number, metric: string, subject: string, other: string, least: number): Target {
  return {
    name: `${number}. ${metric.replace(' /s', '')}: ${subject} to ${other}`,
    value: (results) => results.ratio([metric], subject, other),
    least,
  };
}

/** The server's CPU for the life of a job. */
function life(subject: string, other: string): Target {
  return {
    name: `12. bulk and drain server µs: ${subject} to ${other}`,
    value: (results) => results.ratio(['bulk server µs', 'drain server µs'], subject, other),
    most: 0.8,
  };
}

function bound(number: number, subject: string, metric: string, limit: { least?: number; most?: number }): Target {
  return { name: `${number}. ${metric}: ${subject}`, value: (results) => results.median(subject, metric), ...limit };
}

const TARGETS: readonly Target[] = [
  ...[GRAPHILE, PG_BOSS].flatMap((other) => [
    ratio(1, 'drain /s', MARIADB, other, 1.1),
    ratio(1, 'drain /s', MYSQL, other, 1),
  ]),
  ratio(1, 'drain /s', MARIADB, REDIS, 2),
  ratio(1, 'drain /s', MYSQL, REDIS, 1.4),
  ratio(1, 'drain /s', MARIADB, REDIS_FSYNC, 3),
  ratio(1, 'drain /s', MYSQL, REDIS_FSYNC, 2),
  ratio(1, 'drain /s', MARIADB, 'Sidequest, MariaDB', 40),
  ...SERVERS.map((subject) => ratio(1, 'drain /s', subject, bare(subject), 0.85)),
  ...SERVERS.map((subject) => ratio(2, 'bulk /s', subject, bare(subject), 0.85)),
  ratio(2, 'bulk /s', MARIADB, REDIS, 2.3),
  ratio(2, 'bulk /s', MYSQL, REDIS, 1.7),
  ratio(3, 'in flight /s', MARIADB, REDIS_FSYNC, 1.5),
  ratio(3, 'in flight /s', MYSQL, REDIS_FSYNC, 1.2),
  ...SERVERS.map((subject) => ratio(3, 'sequential /s', subject, bare(subject), 0.85)),
  ...SERVERS.flatMap((subject) => [
    bound(4, subject, 'latency p50 ms', { most: 2.5 }),
    bound(4, subject, 'latency p99 ms', { most: 10 }),
    bound(4, subject, 'remote latency p50 ms', { most: 15 }),
    bound(4, subject, 'remote latency after silence p50 ms', { most: 150 }),
    bound(4, subject, 'idle statements /s, 50 queues', { most: 5 }),
    bound(5, subject, 'held snapshot, last to first', { most: 1.5 }),
    ...['claim', 'enqueue', 'counts', 'prune'].map((name) => {
      return bound(6, subject, `${name}, large to small`, { most: 1.3 });
    }),
    bound(7, subject, 'eight processes to one', { least: 0.9 }),
    bound(7, subject, 'eight processes, jobs run twice', { most: 0 }),
    // At most one in 10,000 claims, and this run has fewer.
    bound(7, subject, 'eight processes, deadlocks', { most: 1 }),
    bound(8, subject, 'drain client µs', { most: 40 }),
    bound(8, subject, 'long drain client MB', { most: 150 }),
    bound(8, subject, 'long drain memory growth', { most: 1.1 }),
    bound(10, subject, 'browsing, slowest p50 ms', { most: 200 }),
    bound(10, subject, 'browsing, largest kB', { most: 300 }),
    bound(11, subject, 'drain beside a dashboard, to none', { least: 0.97 }),
  ]),
  ratio(9, 'drain /s', SQLITE, 'plainjob, SQLite', 1),
  ...SERVERS.flatMap((subject) => [
    ratio(13, 'steps /s', subject, DBOS, 5),
    ratio(13, 'steps /s', subject, bare(subject), 0.7),
    ratio(13, 'steps of one job /s', subject, bare(subject), 0.8),
    bound(13, subject, 'signal p50 ms', { most: 20 }),
    bound(13, subject, 'remote signal p50 ms', { most: 60 }),
    bound(13, subject, 'sleeping jobs, connections', { most: 0 }),
    bound(13, subject, 'sleeping jobs, statements /s', { most: 0.1 }),
  ]),
];

/** Every target with its measurement; one without a measurement is not met. */
export function verdicts(results: Results): Verdict[] {
  const others = results.subjects.filter((subject) => subject.startsWith(`${COMMIT} ${VERSION_0_1}`));
  const lives = others.map((other) => life(other.endsWith(', MySQL') ? MYSQL : MARIADB, other));
  return [...TARGETS, ...lives].map(({ name, value: valueOf, least = -Infinity, most = Infinity }) => {
    const value = valueOf(results);
    return {
      target: name,
      value,
      bound: most === Infinity ? `≥ ${least}` : `≤ ${most}`,
      isMet: value >= least && value <= most,
    };
  });
}
