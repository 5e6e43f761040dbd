import { expect, test } from '@jest/globals';
import type { Verdict } from '@tablequeue/verify';

import { ENGINES, type Engine } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { verifyOn } from '../support/verify.js';

/** In ms. What drains behind it takes as long again at most. */
const LOAD = 40_000;
/** Jobs in a second, of each engine. They are all tried at the same time. */
const RATE = 20;
/** What strikes whatever the database is. */
const ON_PROCESSES = ['kill-worker', 'kill-producer', 'stop-worker', 'block-event-loop', 'wrong-clock'];
/** What strikes where there are connections. */
const ON_CONNECTIONS = [
  'rude-neighbour',
  'open-snapshot',
  'cut-connections',
  'cut-at-commit',
  'cut-at-statement',
  'refuse-connections',
  'silence-connections',
  'slow-network',
];

/** How often the load is tried until everything has come about in it: what a fault meets is a matter of chance. */
const TRIES = 3;

/** What has not come about: a fault that did not strike, or an end that no job has come to. */
function missingIn({ faults, jobs }: Verdict, engine: Engine): string[] {
  const wanted = engine === 'sqlite' ? ON_PROCESSES : [...ON_PROCESSES, ...ON_CONNECTIONS];
  const ends = ['notEnqueued', 'failed', 'reruns', 'refused'] as const;
  return [...wanted.filter((fault) => !(fault in faults)), ...ends.filter((end) => jobs[end] === 0)];
}

describeEach(
  'the torture bench',
  (engine) => {
    test.concurrent(
      'finds that every promise is kept while processes and connections are killed, stopped, blocked and lied to',
      async () => {
        let missing = ['all'];
        for (let tried = 0; tried < TRIES && missing.length > 0; tried++) {
          const { verdict, tablesLeft } = await verifyOn(engine, { durationMs: LOAD, rate: RATE });
          const { seed, broken, jobs } = verdict;
          // With the seed, which repeats it.
          expect({ seed, broken }).toEqual({ seed, broken: [] });
          expect(verdict.isGood).toBe(true);
          expect(tablesLeft).toEqual([]);
          // On SQLite one thing is done at a time.
          expect(jobs.succeeded).toBeGreaterThan(engine === 'sqlite' ? 100 : 300);
          missing = missingIn(verdict, engine);
        }
        expect(missing).toEqual([]);
      },
      600_000,
    );
  },
  ENGINES,
);
