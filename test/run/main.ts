/*
 * The test command: gets the servers, runs Jest, stops the servers, prints the parts and the tally.
 *
 * - `npm test`: the parts of every day, on SQLite, MariaDB 10.11 or 11.8, and MySQL.
 * - `npm run test:all`: the parts that `npm test` leaves out.
 * - `npm test -- --engine=sqlite`: one engine, or several: `sqlite,mariadb`.
 * - `npm test -- --engine=mariadb118`: all tests of MariaDB on 11.8.
 * - `npm test -- --engine=galera`: a cluster, for the tests in `test/clusters`.
 * - `npm test -- transactions -t rollback`: other arguments go to Jest, such as a file of any part or `--watch`.
 * - `npm test -- --write-durations`: writes the times of the files to `test/run/durations.json`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { obtainBrowser } from '../servers/browsers.js';
import { prepareCluster } from '../servers/clusters/obtain-cluster.js';
import { ALL_ENGINES, CLUSTERS, type ClusterKind, type Engine, type ServersByEngine } from '../servers/engines.js';
import { howToChoose } from '../servers/environment.js';
import { obtainServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { serverVersion } from '../servers/wait-until-ready.js';
import { prepareThisNode, runOnNewestNode } from './newest-node.js';
import { type Command, PARTS, PARTS_BY_FILE, type Part } from './parts.js';
import { runJest } from './run-jest.js';
import { type FinishedRun, addRun, secondTry } from './second-try.js';
import type { Failure, PartTally } from './tally-reporter.js';
import { describeVersions } from './typeorm-versions.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

type AnyEngine = Engine | ClusterKind;

const ALL: readonly AnyEngine[] = [...ALL_ENGINES, ...CLUSTERS];
/** The engines of each command, unless it names files or engines. */
const ENGINES_OF: Record<Command, readonly AnyEngine[]> = {
  test: ['sqlite', 'mariadb', 'mariadb118', 'mysql'],
  'test:all': ALL,
};

const IS_CI = process.env.CI === 'true';

/** What the command line asks for. */
interface Request {
  readonly engines: readonly AnyEngine[];
  readonly parts: readonly Part[];
  readonly jestArguments: readonly string[];
  readonly needsBrowsers: boolean;
  readonly writesDurations: boolean;
}

async function main(): Promise<number> {
  const { engines, parts, jestArguments, needsBrowsers, writesDurations } = parse(process.argv.slice(2));
  console.log(describeVersions());
  const servers: Server[] = [];
  try {
    const byEngine = await obtainServers(engines, needsBrowsers, servers);
    await prepareThisNode();
    const run = await runJest([...jestArguments, ...selectionOf(parts.filter(({ node }) => !node))], byEngine);
    if (writesDurations) {
      writeDurations(run.tally.durations);
    }
    const finished = IS_CI ? await secondTry(run, byEngine) : { ...run, unstable: [] };
    const onNewestNode = parts.filter(({ node }) => node === 'newest');
    if (onNewestNode.length === 0 || finished.isInterrupted) {
      return report(byEngine, finished);
    }
    const another = await runOnNewestNode([...jestArguments, ...selectionOf(onNewestNode)], byEngine);
    return report(byEngine, addRun(finished, another));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function selectionOf(parts: readonly Part[]): string[] {
  return ['--selectProjects', ...parts.map(({ name }) => name)];
}

function parse(args: readonly string[]): Request {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: {
      all: { type: 'boolean', default: false },
      engine: { type: 'string' },
      'write-durations': { type: 'boolean', default: false },
      // Options of Jest with a value, which would otherwise count as the name of a file.
      testNamePattern: { type: 'string', short: 't' },
      maxWorkers: { type: 'string', short: 'w' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const command: Command = values.all === true ? 'test:all' : 'test';
  const named = typeof values.engine === 'string' ? values.engine.split(',') : undefined;
  // Each part chooses its release of MariaDB.
  const chosen = named?.flatMap((engine) => (engine === 'mariadb' ? ['mariadb', 'mariadb118'] : [engine]));
  const unknown = chosen?.find((engine) => !(ALL as readonly string[]).includes(engine));
  if (unknown !== undefined) {
    console.error(`There is no engine "${unknown}". Use one or more of: ${ALL.join(',')}.`);
    process.exit(2);
  }
  const ownNames = new Set(['all', 'engine', 'write-durations']);
  const ownIndexes = new Set(
    tokens.flatMap((token) => {
      if (token.kind !== 'option' || !ownNames.has(token.name)) {
        return [];
      }
      return token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
    }),
  );
  const usual = ENGINES_OF[command];
  const engines = (chosen as readonly AnyEngine[] | undefined) ?? (positionals.length > 0 ? ALL : usual);
  // A file, or an engine that the command does not use, is looked for in all parts.
  const isOfCommand = positionals.length === 0 && engines.every((engine) => usual.includes(engine));
  const candidates = isOfCommand ? PARTS.filter((part) => part.command === command) : PARTS_BY_FILE;
  const parts = candidates.filter((part) => part.engines?.some((engine) => engines.includes(engine)) ?? true);
  return {
    engines,
    parts,
    jestArguments: args.filter((_argument, index) => !ownIndexes.has(index)),
    needsBrowsers: isOfCommand && parts.some(({ name }) => name === 'browser'),
    writesDurations: values['write-durations'] === true,
  };
}

async function obtainServers(
  engines: readonly AnyEngine[],
  needsBrowsers: boolean,
  servers: Server[],
): Promise<ServersByEngine> {
  const byEngine: ServersByEngine = {};
  for (const engine of ALL) {
    if (!engines.includes(engine)) {
      byEngine[engine] = { left: true };
    }
  }
  const servable = ALL_ENGINES.filter((engine) => engine !== 'sqlite' && engines.includes(engine)) as ServerEngine[];
  const clusters = CLUSTERS.filter((cluster) => engines.includes(cluster));
  await Promise.all([
    ...servable.map(async (engine) => {
      const found = await obtainServer(engine, (message) => console.log(`${engine}: ${message}`));
      if ('url' in found) {
        servers.push(found);
        byEngine[engine] = { url: found.url };
        console.log(`${engine}: ${await serverVersion(found.url)} (${found.origin}). ${howToChoose(engine)}.`);
      } else {
        byEngine[engine] = { reason: found.reason };
      }
    }),
    // The hook of a test has no time to download them.
    ...(needsBrowsers ? [obtainBrowser('chromium'), obtainBrowser('firefox')] : []).map((found) =>
      found.catch(() => undefined),
    ),
    ...clusters.map(async (cluster) => {
      const reason = await prepareCluster(cluster, (message) => console.log(`${cluster}: ${message}`));
      byEngine[cluster] = reason === undefined ? { ready: true } : { reason };
    }),
  ]);
  if (!engines.includes('mariadb') && engines.includes('mariadb118')) {
    byEngine.mariadb = byEngine.mariadb118;
  }
  return byEngine;
}

function report(byEngine: ServersByEngine, { code, tally, isInterrupted, unstable }: FinishedRun): number {
  const missing = Object.entries(byEngine).flatMap(([engine, server]) =>
    'reason' in server ? [`SKIPPED: all tests on ${engine}, because there is no server. ${server.reason}`] : [],
  );
  if (missing.length > 0) {
    console.log(`\n${missing.join('\n')}`);
  }
  if (isInterrupted) {
    console.log('\nInterrupted.');
    return 130;
  }
  const { passed, failed, skipped, failures, parts } = tally;
  const lines = [
    ...unstable.map((failure) => describe('UNSTABLE', failure)),
    ...failures.map((failure) => describe('FAILED', failure)),
    '',
    ...parts.map(describePart),
  ];
  console.log(['', ...lines].join('\n'));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  const hasSkippedInCi = IS_CI && (skipped > 0 || missing.length > 0);
  if (hasSkippedInCi) {
    console.log('CI allows no skipped test.');
  }
  return code !== 0 || hasSkippedInCi ? code || 1 : 0;
}

function describe(verdict: string, { part, file, test, message }: Failure): string {
  return `${verdict}: ${part}: ${file}${test === undefined ? '' : ` › ${test}`}: ${message}`;
}

/** `.ci/run` collects these lines. */
function describePart({ name, ms, passed, failed, skipped }: PartTally): string {
  const seconds = Math.round(ms / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return `Part: ${name.padEnd(20)} ${time.padStart(6)}  ${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** In seconds: shorter files need no entry, because their order makes no difference. */
const WORTH_AN_ENTRY = 5;

/** Writes the times of this run over those in `test/run/durations.json`. */
function writeDurations(durations: Readonly<Record<string, number>>): void {
  const file = join(ROOT, 'test/run/durations.json');
  const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  const merged = Object.entries({ ...known, ...durations })
    .filter(([path, seconds]) => seconds >= WORTH_AN_ENTRY && existsSync(join(ROOT, path)))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(merged), undefined, 2)}\n`);
}

/** Gives this run one temporary folder for all its processes. It stays if something failed: it has the journals. */
function useOwnFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tablequeue-tests-'));
  process.env.TMPDIR = folder;
  process.on('exit', (code) => {
    if (code === 1 && !IS_CI) {
      console.log(`The temporary files of this run are in ${folder}.`);
    } else {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

useOwnFolder();
process.exitCode = await main();
