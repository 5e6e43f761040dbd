/*
 * Runs verify on a server or cluster of its own, with all faults. The server is also killed, restarted slowly,
 * read-only, and out of connections. It is configured to lose no commit.
 *
 *   npm run verify -- --engine=mariadb
 *   npm run verify -- --engine=galera --duration=10m --rate=350  a run of docs/internals/verify.md
 *   npm run verify -- --engine=mysql --seed=42                   the load and the faults of another run
 *
 * Engines: mariadb, mariadb118, mysql, mysql56, galera, group-replication. Exits with 1 if a guarantee is broken.
 */
import { parseArgs } from 'node:util';

import { type VerifyOptions, describeVerdict, verify } from '@tablequeue/verify';
import ms, { type StringValue } from 'ms';

import { VICTIMS, type VictimEngine, startVictim } from './victim.js';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: '' },
      duration: { type: 'string', default: '1m' },
      rate: { type: 'string' },
      workers: { type: 'string' },
      seed: { type: 'string' },
      lease: { type: 'string' },
      faults: { type: 'string' },
    },
  });
  if (!isVictim(values.engine)) {
    console.error(`Which engine? Give --engine=${VICTIMS.join(' or --engine=')}.`);
    return 2;
  }
  const { rate, workers, seed, lease, faults } = values;
  const options: Omit<VerifyOptions, 'dataSourceOptions'> = {
    durationMs: ms(values.duration as StringValue),
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(workers !== undefined && { workers: Number(workers) }),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(lease !== undefined && { lease: Number(lease) }),
    ...(faults !== undefined && { faults: faults.split(',') }),
  };
  const victim = await startVictim(values.engine);
  const ended = new AbortController();
  const end = (signal: NodeJS.Signals) => ended.abort(new Error(`Ended by ${signal}.`));
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    console.log(`${values.engine}, ${victim.origin}`);
    const { dataSourceOptions, server } = victim;
    const onProgress = (line: string) => console.error(line);
    const verdict = await verify({ ...options, dataSourceOptions, server, signal: ended.signal, onProgress });
    console.log(describeVerdict(verdict).join('\n'));
    const memory = Math.round(process.resourceUsage().maxRSS / 1024);
    console.log(`Verify itself used up to ${memory} MiB.`);
    return verdict.isGood ? 0 : 1;
  } finally {
    await victim.stop();
  }
}

function isVictim(engine: string): engine is VictimEngine {
  return (VICTIMS as readonly string[]).includes(engine);
}

process.exitCode = await main();
