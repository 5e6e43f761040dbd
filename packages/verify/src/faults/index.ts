import type { Fault } from './fault.js';
import {
  cutAtCommit,
  cutAtStatement,
  cutConnections,
  refuseConnections,
  silenceConnections,
  slowNetwork,
} from './network-faults.js';
import { blockEventLoop, killProducer, killWorker, stopProcess, wrongClock } from './process-faults.js';
import { clockAhead, clockBehind, loseCommits } from './wrong-server-faults.js';
import { fullServer, killServer, readOnlyServer, slowRestart } from './server-faults.js';
import { lockRows, openSnapshot } from './session-faults.js';
import { metadataLock, truncateTables } from './table-faults.js';

/** All faults. A new one is added here. */
export const FAULTS: readonly Fault[] = [
  killWorker,
  killProducer,
  // Windows cannot stop and continue a process.
  ...(process.platform === 'win32' ? [] : [stopProcess]),
  blockEventLoop,
  wrongClock,
  lockRows,
  openSnapshot,
  metadataLock,
  truncateTables,
  cutConnections,
  cutAtCommit,
  cutAtStatement,
  refuseConnections,
  silenceConnections,
  slowNetwork,
  killServer,
  slowRestart,
  readOnlyServer,
  fullServer,
  loseCommits,
  clockAhead,
  clockBehind,
];
