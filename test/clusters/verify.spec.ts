import { expect, test } from '@jest/globals';
import { verify } from '@tablequeue/verify';

import { controlCluster } from '../servers/clusters/cluster-control.js';
import { createEmptyDatabase } from '../support/database.js';
import { describeCluster } from '../support/describe-cluster.js';

/** In ms. The remaining jobs take as long again at most. */
const LOAD = 40_000;
const FAULTS = [
  'kill-worker',
  'kill-producer',
  'stop-worker',
  'block-event-loop',
  'wrong-clock',
  'lock-rows',
  'open-snapshot',
  'cut-connections',
  'cut-at-commit',
  'kill-server',
];

// Only Galera: it takes writes on all nodes. Group Replication is tried by hand, and has one node that takes writes.
describeCluster('galera', 'verify on three nodes behind a balancer', (cluster) => {
  test('finds that all guarantees hold, also while nodes are killed', async () => {
    const database = await createEmptyDatabase('mariadb', { server: cluster().nodes[0]!.url });
    const controlled = await controlCluster(cluster());
    const own = Object.assign(new URL(controlled.url), { pathname: new URL(database.url).pathname });
    try {
      const verdict = await verify({
        dataSourceOptions: { type: 'mariadb', url: own.href },
        server: controlled.control,
        faults: FAULTS,
        durationMs: LOAD,
        rate: 15,
      });
      const { seed, broken, faults, jobs } = verdict;
      // The seed repeats the run.
      expect({ seed, broken }).toEqual({ seed, broken: [] });
      expect(Object.keys(faults)).toEqual(expect.arrayContaining(FAULTS));
      expect(jobs.succeeded).toBeGreaterThan(100);
      expect(jobs.reruns).toBeGreaterThan(0);
    } finally {
      await controlled.close();
    }
  }, 300_000);
});
