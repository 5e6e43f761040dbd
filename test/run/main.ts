/*
 * The test command: gets the servers, runs Jest, stops the servers, prints the tally.
 *
 *   npm test                               everything
 *   npm test -- --engine=sqlite            one engine, or several: sqlite,mariadb
 *   npm test -- --engine=galera            a cluster: what is in test/clusters
 *   npm test -- transactions -t rollback   the rest goes to Jest: a file, a test's name, --watch
 */
import { parseArgs } from 'node:util';

import { obtainChromium } from '../servers/chromium.js';
import { prepareCluster } from '../servers/clusters/obtain-cluster.js';
import { CLUSTERS, type ClusterKind, ENGINES, type Engine, type ServersByEngine } from '../servers/engines.js';
import { obtainServer } from '../servers/obtain-server.js';
import type { Server, ServerEngine } from '../servers/server.js';
import { runJest } from './run-jest.js';
import { type SettledRun, secondTry } from './second-try.js';
import type { Failure } from './tally-reporter.js';

const ALL = [...ENGINES, ...CLUSTERS] as const;

const IS_CI = process.env.CI === 'true';

async function main(): Promise<number> {
  const { engines, jestArguments } = parse(process.argv.slice(2));
  const servers: Server[] = [];
  try {
    const byEngine = await obtainServers(engines, jestArguments.length === 0, servers);
    const run = await runJest(jestArguments, byEngine);
    return report(byEngine, IS_CI ? await secondTry(run, byEngine) : { ...run, unstable: [] });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
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

async function obtainServers(
  engines: readonly (Engine | ClusterKind)[],
  isEverything: boolean,
  servers: Server[],
): Promise<ServersByEngine> {
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
    // A test's hook has not the time to download it.
    ...(isEverything ? [obtainChromium().catch(() => undefined)] : []),
    ...clusters.map(async (cluster) => {
      const reason = await prepareCluster(cluster, (message) => console.log(`${cluster}: ${message}`));
      byEngine[cluster] = reason === undefined ? { ready: true } : { reason };
    }),
  ]);
  return byEngine;
}

function report(byEngine: ServersByEngine, { code, tally, isInterrupted, unstable }: SettledRun): number {
  const missing = Object.entries(byEngine).filter(([, server]) => 'reason' in server);
  for (const [engine, server] of missing) {
    console.log(
      `\nSKIPPED: everything on ${engine}, because no server could be had. ${'reason' in server ? server.reason : ''}`,
    );
  }
  if (isInterrupted) {
    console.log('\nInterrupted.');
    return 130;
  }
  const { passed, failed, skipped, failures } = tally;
  const lines = [
    ...unstable.map((failure) => describe('UNSTABLE', failure)),
    ...failures.map((failure) => describe('FAILED', failure)),
  ];
  console.log(['', ...lines].join('\n'));
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  const skippedInCi = IS_CI && (skipped > 0 || missing.length > 0);
  if (skippedInCi) {
    console.log('CI allows no skipped test.');
  }
  return code !== 0 || skippedInCi ? code || 1 : 0;
}

function describe(verdict: string, { file, test, message }: Failure): string {
  return `${verdict}: ${file}${test === undefined ? '' : ` › ${test}`}: ${message}`;
}

process.exitCode = await main();
