import type { ClusterKind } from '../engines.js';
import type { ServerPurpose } from '../server.js';
import type { Cluster } from './cluster.js';
import { obtainGalera, startGalera } from './galera.js';
import { obtainGroupReplication, startGroupReplication } from './group-replication.js';

type Log = (message: string) => void;

const STARTS: Record<ClusterKind, (log: Log) => Promise<((purpose: ServerPurpose) => Promise<Cluster>) | undefined>> = {
  galera: async (log) => {
    const parts = await obtainGalera(log);
    return parts && ((purpose) => startGalera(parts, purpose));
  },
  'group-replication': async (log) => {
    const parts = await obtainGroupReplication(log);
    return parts && ((purpose) => startGroupReplication(parts, purpose));
  },
};

/**
 * Downloads the programs of a cluster, unless an earlier run has done so.
 *
 * @returns the reason why there are none, or undefined.
 */
export async function prepareCluster(kind: ClusterKind, log: Log): Promise<string | undefined> {
  try {
    return (await STARTS[kind](log)) ? undefined : "It is only in Debian's packages.";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Starts a cluster. @throws Error when its programs are not available. */
export async function startCluster(kind: ClusterKind, purpose: ServerPurpose = 'tests'): Promise<Cluster> {
  const start = await STARTS[kind](console.log);
  if (!start) {
    throw new Error(`No ${kind} in Debian's packages, or no apt here.`);
  }
  return start(purpose);
}
