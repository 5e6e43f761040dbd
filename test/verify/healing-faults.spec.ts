import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { type VictimEngine, verifyVictim } from './victim.js';

/** In ms: enough for all faults one after another. */
const LOAD = 40_000;
/** In jobs a second. */
const RATE = 40;
/** Faults after which the tables contain something wrong, or lack something. */
const FAULTS = ['lose-commits', 'clock-ahead', 'clock-behind', 'truncate-tables', 'metadata-lock'];

describeEach(
  'verify on a server whose tables need healing',
  (engine) => {
    test.concurrent(
      'finds that all guarantees hold while it loses commits, rows and locks, and its clock jumps',
      async () => {
        const { seed, broken, faults, jobs } = await verifyVictim(engine as VictimEngine, {
          faults: [...FAULTS, 'kill-worker'],
          durationMs: LOAD,
          rate: RATE,
        });
        // The seed repeats the run.
        expect({ seed, broken }).toEqual({ seed, broken: [] });
        expect(Object.keys(faults)).toEqual(expect.arrayContaining(FAULTS));
        expect(jobs.succeeded).toBeGreaterThan(100);
      },
      300_000,
    );
  },
  ['mariadb', 'mysql'],
);
