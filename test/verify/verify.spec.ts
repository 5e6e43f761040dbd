import { expect } from '@jest/globals';
import type { Verdict } from '@tablequeue/verify';

import type { Engine } from '../servers/engines.js';
import { describeAtOnce } from '../support/each-engine.js';
import { verifyOn } from '../support/verify.js';

/** In ms: every fault once or twice. The remaining jobs take as long again at most. */
const LOAD = 35_000;
/** In jobs a second, for each engine. */
const RATE = 20;
/** The faults on every database. */
const ON_PROCESSES = ['kill-worker', 'kill-producer', 'stop-worker', 'block-event-loop', 'wrong-clock'];
/** The faults on databases with connections. */
const ON_CONNECTIONS = [
  'lock-rows',
  'open-snapshot',
  'metadata-lock',
  'truncate-tables',
  'cut-connections',
  'cut-at-commit',
  'cut-at-statement',
  'refuse-connections',
  'silence-connections',
  'slow-network',
];

const PAIRS: readonly (readonly Engine[])[] = [
  ['sqlite', 'mariadb'],
  ['mysql', 'mysql56'],
];

/** How often verify runs until every fault and effect has occurred: what a fault hits is a matter of chance. */
const TRIES = 3;

/** Returns the faults and effects that have not occurred. */
function missingIn({ faults, jobs }: Verdict, engine: Engine): string[] {
  const wanted = engine === 'sqlite' ? ON_PROCESSES : [...ON_PROCESSES, ...ON_CONNECTIONS];
  const effects = ['notEnqueued', 'failed', 'reruns', 'rejected'] as const;
  return [...wanted.filter((fault) => !(fault in faults)), ...effects.filter((effect) => jobs[effect] === 0)];
}

async function verifyEngine(engine: Engine): Promise<void> {
  let missing = ['all'];
  for (let tried = 0; tried < TRIES && missing.length > 0; tried++) {
    const { verdict, tablesLeft } = await verifyOn(engine, { durationMs: LOAD, rate: RATE });
    const { seed, broken, jobs } = verdict;
    // The seed repeats the run.
    expect({ seed, broken }).toEqual({ seed, broken: [] });
    expect(verdict.isGood).toBe(true);
    expect(tablesLeft).toEqual([]);
    // SQLite has one writer at a time.
    expect(jobs.succeeded).toBeGreaterThan(engine === 'sqlite' ? 100 : 300);
    missing = missingIn(verdict, engine);
  }
  expect(missing).toEqual([]);
}

// Two at a time: with more of them two cores are too slow for the checks of delays.
for (const pair of PAIRS) {
  describeAtOnce(
    'verify',
    pair.map((engine) => ({
      title:
        'finds that all guarantees hold while processes and connections are killed, stopped, blocked and given a wrong clock',
      engine,
      run: () => verifyEngine(engine),
    })),
    600_000,
  );
}
