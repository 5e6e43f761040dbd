import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Engine } from '../servers/engines.js';
import { OTHER_TYPEORM, TYPEORM, type TypeormVersion, conformanceEngines } from './typeorm-versions.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The command that runs a part: `npm test`, or `npm run test:all` for the parts that `npm test` leaves out. */
export type Command = 'test' | 'test:all';

/**
 * Test files that run together, and are timed together. The first files of a part already run beside the last of
 * another with as many workers.
 */
export interface Part {
  readonly name: string;
  readonly command: Command;
  /**
   * How many files run at a time. Tests that wait for leases, processes and servers run more files than there are
   * cores. Tests that measure times, or keep all cores busy, run 1.
   */
  readonly workers: number;
  /** Whether no file of another part runs at the same time: it checks delays. */
  readonly isAlone?: boolean;
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
  readonly typeorm: TypeormVersion;
  /** The engines that it runs on, if they are available. Default: all. */
  readonly engines?: readonly Engine[];
  /** A module that runs before each file. */
  readonly setup?: string;
  /** Runs in a run of its own, on this Node.js. Default: the Node.js of the test command. */
  readonly node?: 'newest';
}

/**
 * For the setup of a part: its tests of MariaDB run on 11.8, which isolates snapshots, and not on 10.11. Each release
 * gets about half of the tests, so that both together take no longer than one.
 */
const ON_MARIADB_118 = 'test/run/on-mariadb118.js';

/** A part by its paths: a file belongs to the part with the longest path that contains it. */
interface PartByPath extends Omit<Part, 'files' | 'typeorm'> {
  readonly paths: readonly string[];
}

const BY_PATH: readonly PartByPath[] = [
  { name: 'docs', command: 'test', paths: ['test/docs'], workers: 2 },
  { name: 'units', command: 'test', paths: ['packages'], workers: 2 },
  {
    name: 'conformance',
    command: 'test',
    paths: ['test/conformance'],
    workers: 3,
    engines: conformanceEngines(TYPEORM),
    setup: ON_MARIADB_118,
  },
  { name: 'Nest', command: 'test', paths: ['test/nest'], workers: 3, setup: ON_MARIADB_118 },
  { name: 'crash', command: 'test', paths: ['test/crash'], workers: 4 },
  {
    // They wait for silent connections, leases and processes, or try many settings one after another.
    name: 'long waits',
    command: 'test:all',
    paths: [
      'test/boundaries',
      'test/concurrency/held-rows.spec.ts',
      'test/concurrency/long-jobs.spec.ts',
      'test/concurrency/wrong-clocks.spec.ts',
      'test/conformance/named-lock.spec.ts',
      'test/conformance/sessions.spec.ts',
      'test/deployments',
      'test/properties',
      'test/sample',
      'test/security/privileges.spec.ts',
    ],
    workers: 4,
  },
  // Everything else: command line, dashboard API, security, telemetry, testing kit.
  { name: 'others', command: 'test:all', paths: ['test'], workers: 4 },
  { name: 'concurrency', command: 'test:all', paths: ['test/concurrency'], workers: 2 },
  // Alone: without its daemon, as in CI, Nx replaces `dist` in its `npm start`, and others need that.
  { name: 'first minute', command: 'test:all', paths: ['test/sample/first-minute.spec.ts'], workers: 1 },
  { name: 'browser', command: 'test:all', paths: ['test/browser'], workers: 3 },
  { name: 'packaging', command: 'test:all', paths: ['test/packaging'], workers: 3 },
  { name: 'planted faults', command: 'test:all', paths: ['test/verify/planted.spec.ts'], workers: 1 },
  { name: 'verify', command: 'test:all', paths: ['test/verify'], workers: 2, isAlone: true },
  { name: 'clusters', command: 'test:all', paths: ['test/clusters'], workers: 2, isAlone: true },
];

const FILES = [...specFilesIn('packages'), ...specFilesIn('test')];

const NAMED: readonly Part[] = BY_PATH.flatMap(({ paths: _paths, ...part }) => {
  const files = FILES.filter((file) => partOf(file)?.name === part.name);
  const own: Part = { ...part, typeorm: TYPEORM, files };
  return part.name === 'conformance' ? [own, ...withOtherTypeorm(own)] : [own];
});

/** What the test files that also run on MySQL 5.6 mention. */
const MENTIONS_MYSQL_56 = /describeOnOlderToo|\b(SERVER_)?ENGINES\b|mysql56/;

/** The parts with files that also run on MySQL 5.6, once more and on that server alone. */
const PARTS_ON_MYSQL_56: ReadonlySet<string | undefined> = new Set(['conformance', 'others']);

const MYSQL_56: Part = {
  name: 'MySQL 5.6',
  command: 'test:all',
  workers: 3,
  files: FILES.filter((file) => PARTS_ON_MYSQL_56.has(partOf(file)?.name)).filter((file) =>
    MENTIONS_MYSQL_56.test(readFileSync(join(ROOT, file), 'utf8')),
  ),
  typeorm: TYPEORM,
  engines: ['mysql56'],
};

/**
 * Units, and conformance on SQLite with the other version of TypeORM. In CI, the test command runs on the oldest
 * Node.js.
 */
const NEWEST_NODE: Part = {
  name: 'newest Node',
  command: 'test:all',
  workers: 3,
  files: FILES.filter((file) => ['units', 'conformance'].includes(partOf(file)?.name ?? '')),
  typeorm: OTHER_TYPEORM ?? TYPEORM,
  engines: ['sqlite'],
  node: 'newest',
};

/** All parts, in the order in which they run. */
export const PARTS: readonly Part[] = [...NAMED, MYSQL_56, NEWEST_NODE];

/** The parts without MySQL 5.6 and the newest Node.js: a file belongs to one of them, or to both of conformance. */
export const PARTS_BY_FILE: readonly Part[] = NAMED;

/**
 * The conformance tests once more, with the other version of TypeORM and on its engines. Not in `npm test`: MariaDB and
 * MySQL share most of the code.
 */
function withOtherTypeorm(conformance: Part): readonly Part[] {
  if (OTHER_TYPEORM === undefined) {
    return [];
  }
  const name = `TypeORM ${OTHER_TYPEORM}`;
  const engines = conformanceEngines(OTHER_TYPEORM);
  return [{ ...conformance, name, command: 'test:all', typeorm: OTHER_TYPEORM, engines }];
}

function partOf(file: string): PartByPath | undefined {
  const matches = BY_PATH.flatMap((part) =>
    part.paths.filter((path) => file === path || file.startsWith(`${path}/`)).map((path) => ({ part, path })),
  );
  return matches.toSorted((a, b) => b.path.length - a.path.length)[0]?.part;
}

function specFilesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts') && !/(^|\/)(node_modules|dist)\/|^packaging\/apps\//.test(name))
    .map((name) => `${folder}/${name}`);
}
