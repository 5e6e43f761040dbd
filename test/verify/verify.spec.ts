import { expect } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { describeAtOnce } from '../support/each-engine.js';
import { verifyOn } from '../support/verify.js';

/** In ms: every fault once or twice. The remaining jobs take as long again at most. */
const LOAD = 25_000;
/** In jobs a second, for each engine. */
const RATE = 20;

/**
 * The faults for each engine: all faults that need no server of their own, and for most of them two engines. SQLite has
 * faults of processes only. Every combination is tried by hand: `npm run verify`.
 */
const FAULTS = {
  sqlite: ['kill-worker', 'kill-producer', 'stop-worker', 'block-event-loop', 'wrong-clock'],
  mariadb: [
    'kill-worker',
    'stop-worker',
    'wrong-clock',
    'open-snapshot',
    'truncate-tables',
    'cut-connections',
    'cut-at-commit',
    'silence-connections',
  ],
  mysql: [
    'kill-producer',
    'silence-connections',
    'block-event-loop',
    'lock-rows',
    'metadata-lock',
    'open-snapshot',
    'cut-at-statement',
    'refuse-connections',
    'slow-network',
  ],
  mysql56: [
    'kill-worker',
    'stop-worker',
    'lock-rows',
    'metadata-lock',
    'truncate-tables',
    'cut-at-commit',
    'cut-at-statement',
    'refuse-connections',
  ],
} as const satisfies Partial<Record<Engine, readonly string[]>>;
type VerifiedEngine = keyof typeof FAULTS;

const PAIRS: readonly (readonly VerifiedEngine[])[] = [
  ['sqlite', 'mariadb'],
  ['mysql', 'mysql56'],
];

/** How often verify runs until it has shown enough: what a fault hits, and how long, is a matter of chance. */
const TRIES = 8;

/** How many jobs must have succeeded. */
const SUCCEEDED = 200;

/** What the faults must have led to. */
const EFFECTS = ['notEnqueued', 'failed', 'reruns', 'rejected'] as const;

async function verifyEngine(engine: VerifiedEngine): Promise<void> {
  let faults: readonly (typeof FAULTS)[VerifiedEngine][number][] = FAULTS[engine];
  let effects: readonly (typeof EFFECTS)[number][] = EFFECTS;
  let succeeded = 0;
  for (let tried = 0; tried < TRIES && (succeeded < SUCCEEDED || faults.length + effects.length > 0); tried++) {
    const options = { durationMs: LOAD, rate: RATE, faults: FAULTS[engine] };
    const { verdict, tablesLeft } = await verifyOn(engine, options);
    const { seed, broken, jobs } = verdict;
    // The seed repeats the run.
    expect({ seed, broken }).toEqual({ seed, broken: [] });
    expect(verdict.isGood).toBe(true);
    expect(tablesLeft).toEqual([]);
    succeeded += jobs.succeeded;
    faults = faults.filter((fault) => !(fault in verdict.faults));
    effects = effects.filter((effect) => jobs[effect] === 0);
  }
  expect([...faults, ...effects]).toEqual([]);
  expect(succeeded).toBeGreaterThanOrEqual(SUCCEEDED);
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
