import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { verifyVictim } from './victim.js';

/** In ms: enough for all faults one after another. One lasts for 13 s, and a server takes seconds to start. */
const LOAD = 45_000;
/** In jobs a second: if the faults are long, the server works for only ten seconds. */
const RATE = 40;

/**
 * The faults for each engine: all faults of the server, and two that leave tables without something. Every combination
 * is tried by hand: `npm run verify`.
 */
const FAULTS = {
  mariadb118: ['kill-server', 'read-only-server', 'lose-commits', 'clock-ahead', 'truncate-tables'],
  mysql: ['slow-restart', 'full-server', 'lose-commits', 'clock-behind', 'metadata-lock'],
} as const;
const ENGINES = Object.keys(FAULTS) as (keyof typeof FAULTS)[];

describeEach(
  'verify on a separate server',
  (engine) => {
    const wanted = FAULTS[engine as keyof typeof FAULTS];
    test.concurrent(
      'finds that all guarantees hold while the server is away, read-only or full, loses commits, and its clock jumps',
      async () => {
        const { seed, broken, faults, jobs } = await verifyVictim(engine as keyof typeof FAULTS, {
          faults: [...wanted, 'open-snapshot', 'kill-worker'],
          durationMs: LOAD,
          rate: RATE,
        });
        // The seed repeats the run.
        expect({ seed, broken }).toEqual({ seed, broken: [] });
        expect(Object.keys(faults)).toEqual(expect.arrayContaining([...wanted]));
        expect(jobs.succeeded).toBeGreaterThan(100);
        expect(jobs.reruns).toBeGreaterThan(0);
      },
      300_000,
    );
  },
  ENGINES,
);
