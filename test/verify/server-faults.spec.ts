import { expect, test } from '@jest/globals';
import { type Verdict, verify } from '@tablequeue/verify';

import { describeEach } from '../support/each-engine.js';
import { type VictimEngine, startVictim } from './victim.js';

/** In ms: enough for all faults one after another. One lasts for 13 s, and a server takes seconds to start. */
const LOAD = 60_000;
/** In jobs a second: if the faults are long, the server works for only ten seconds. */
const RATE = 40;
const FAULTS = ['kill-server', 'slow-restart', 'read-only-server', 'full-server'];

async function verifyVictim(engine: VictimEngine): Promise<Verdict> {
  const victim = await startVictim(engine);
  const { dataSourceOptions, server } = victim;
  try {
    const faults = [...FAULTS, 'open-snapshot', 'kill-worker'];
    return await verify({ dataSourceOptions, server, faults, durationMs: LOAD, rate: RATE });
  } finally {
    await victim.stop();
  }
}

describeEach(
  'verify on a separate server',
  (engine) => {
    test.concurrent(
      'finds that all guarantees hold while the server is killed, slow to restart, read-only and full',
      async () => {
        const { seed, broken, faults, jobs } = await verifyVictim(engine as VictimEngine);
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
