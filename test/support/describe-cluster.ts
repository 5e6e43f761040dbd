import { afterAll, beforeAll, describe } from '@jest/globals';

import type { Cluster } from '../servers/clusters/cluster.js';
import { startCluster } from '../servers/clusters/obtain-cluster.js';
import type { ClusterKind } from '../servers/engines.js';
import { describeLeftOut } from './each-engine.js';
import { canStart, isLeftOut } from './servers.js';

/**
 * Declares a suite on a cluster of its own. Where it was not asked for it is left out; where its programs could not be
 * had it is skipped, test by test, so that the tally shows it.
 */
export function describeCluster(kind: ClusterKind, name: string, define: (cluster: () => Cluster) => void): void {
  if (isLeftOut(kind)) {
    describeLeftOut(name);
    return;
  }
  (canStart(kind) ? describe : describe.skip)(`${name} [${kind}]`, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster(kind);
    }, 180_000);
    define(() => cluster);
    // After what the suite itself ends.
    afterAll(() => cluster.stop(), 60_000);
  });
}
