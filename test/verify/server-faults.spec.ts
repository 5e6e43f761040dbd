import { expect, test } from '@jest/globals';

import { describeEach } from '../support/each-engine.js';
import { type VictimEngine, verifyVictim } from './victim.js';

/** In ms: enough for all faults one after another. One lasts for 13 s, and a server takes seconds to start. */
const LOAD = 60_000;
/** In jobs a second: if the faults are long, the server works for only ten seconds. */
const RATE = 40;
const FAULTS = ['kill-server', 'slow-restart', 'read-only-server', 'full-server'];

describeEach(
  'verify on a separate server',
  (engine) => {
    test.concurrent(
      'finds that all guarantees hold while the server is killed, slow to restart, read-only and full',
      async () => {
        const { seed, broken, faults, jobs } = await verifyVictim(engine as VictimEngine, {
          faults: [...FAULTS, 'open-snapshot', 'kill-worker'],
          durationMs: LOAD,
          rate: RATE,
        });
        // The seed repeats the run.
        expect({ seed, broken }).toEqual({ seed, broken: [] });
        expect(Object.keys(faults)).toEqual(expect.arrayContaining(FAULTS));
        expect(jobs.succeeded).toBeGreaterThan(100);
        expect(jobs.reruns).toBeGreaterThan(0);
      },
      300_000,
    );
  },
  ['mariadb', 'mysql'],
);
