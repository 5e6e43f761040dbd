/*
 * The test command: gets the servers, runs Jest, stops the servers, prints the tally.
 *
 *   npm test                               everything
 *   npm test -- --engine=sqlite            one engine, or several: sqlite,mariadb
 *   npm test -- --engine=galera            a cluster: what is in test/clusters
 *   npm test -- transactions -t rollback   the rest goes to Jest: a file, a test's name, --watch
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { prepareCluster } from '../servers/clusters/obtain-cluster.js';
import {
  CLUSTERS,
  type ClusterKind,
  ENGINES,
  type Engine,
  SERVERS_VARIABLE,
  type ServersByEngine,
} from '../servers/engines.js';
import { obtainServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { TALLY_VARIABLE, type Tally } from './tally-reporter.js';

const ALL = [...ENGINES, ...CLUSTERS] as const;

let interrupted = false;

/** How long Jest may take to exit after its last test, in ms. */
const PATIENCE = 30_000;

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

async function main(): Promise<number> {
  const { engines, jestArguments } = parse(process.argv.slice(2));
  const servers: Server[] = [];
  const tallyFile = join(ROOT, `test/dist/tally-${process.pid}.json`);
  try {
    const byEngine = await obtainServers(engines, servers);
    const code = await runJest(jestArguments, {
      [SERVERS_VARIABLE]: JSON.stringify(byEngine),
      [TALLY_VARIABLE]: tallyFile,
    });
    return await report(byEngine, tallyFile, code);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(tallyFile, { force: true });
  }
}

function parse(args: readonly string[]): { engines: readonly (Engine | ClusterKind)[]; jestArguments: string[] } {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: { engine: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  const engines = typeof values.engine === 'string' ? values.engine.split(',') : ALL;
  for (const engine of engines) {
    if (!(ALL as readonly string[]).includes(engine)) {
      console.error(`There is no engine "${engine}". Use one or several of: ${ALL.join(',')}.`);
      process.exit(2);
    }
  }
  const own = tokens.filter((token) => token.kind === 'option' && token.name === 'engine');
  const ownIndexes = new Set(
    own.flatMap(({ index, ...token }) =>
      'inlineValue' in token && token.inlineValue === false ? [index, index + 1] : [index],
    ),
  );
  return {
    engines: engines as readonly (Engine | ClusterKind)[],
    jestArguments: args.filter((_argument, index) => !ownIndexes.has(index)),
  };
}

async function obtainServers(engines: readonly (Engine | ClusterKind)[], servers: Server[]): Promise<ServersByEngine> {
  const byEngine: ServersByEngine = {};
  for (const engine of ALL) {
    if (!engines.includes(engine)) {
      byEngine[engine] = { left: true };
    }
  }
  const servable = ENGINES.filter((engine) => engine !== 'sqlite' && engines.includes(engine)) as ServerEngine[];
  const clusters = CLUSTERS.filter((cluster) => engines.includes(cluster));
  await Promise.all([
    ...servable.map(async (engine) => {
      const found = await obtainServer(engine, (message) => console.log(`${engine}: ${message}`));
      if ('url' in found) {
        servers.push(found);
        byEngine[engine] = { url: found.url };
        console.log(`${engine}: ${found.origin}`);
      } else {
        byEngine[engine] = { reason: found.reason };
      }
    }),
    ...clusters.map(async (cluster) => {
      const reason = await prepareCluster(cluster, (message) => console.log(`${cluster}: ${message}`));
      byEngine[cluster] = reason === undefined ? { ready: true } : { reason };
    }),
  ]);
  return byEngine;
}

async function runJest(args: readonly string[], variables: Record<string, string>): Promise<number> {
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--config',
      join(ROOT, 'test/jest.config.js'),
      ...args,
    ],
    // The channel ends with this process, and Jest with it: see TallyReporter.
    { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, ...variables } },
  );
  const forward = (signal: NodeJS.Signals) => {
    interrupted = true;
    jest.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const ended = once(jest, 'exit') as Promise<[number | null]>;
  const looksForTheEnd = setInterval(() => {
    const isWatching = args.some((argument) => argument.startsWith('--watch'));
    if (!isWatching && existsSync(variables[TALLY_VARIABLE] ?? '')) {
      clearInterval(looksForTheEnd);
      // All tests have ended, but Jest does not: a test has left something open.
      setTimeout(() => jest.kill('SIGKILL'), PATIENCE).unref();
    }
  }, 1_000);
  const [code] = await ended;
  clearInterval(looksForTheEnd);
  return code ?? 1;
}

async function report(byEngine: ServersByEngine, tallyFile: string, code: number): Promise<number> {
  const missing = Object.entries(byEngine).filter(([, server]) => 'reason' in server);
  for (const [engine, server] of missing) {
    console.log(
      `\nSKIPPED: everything on ${engine}, because no server could be had. ${'reason' in server ? server.reason : ''}`,
    );
  }
  if (interrupted) {
    console.log('\nInterrupted.');
    return 130;
  }
  const tally = JSON.parse(await readFile(tallyFile, 'utf8').catch(() => '{}')) as Partial<Tally>;
  const { passed = 0, failed = 1, skipped = 0, failures = [] } = tally;
  console.log(['', ...failures.map((failure) => `FAILED: ${failure}`)].join('\n'));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  const skippedInCi = process.env.CI === 'true' && (skipped > 0 || missing.length > 0);
  if (skippedInCi) {
    console.log('CI allows no skipped test.');
  }
  return code !== 0 || skippedInCi ? code || 1 : 0;
}

process.exitCode = await main();
