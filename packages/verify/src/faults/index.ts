import { blockEventLoop } from './block-event-loop.js';
import { cutAtCommit, cutAtStatement } from './cut-at-statement.js';
import { cutConnections } from './cut-connections.js';
import type { Fault } from './fault.js';
import { killProducer, killWorker } from './kill-process.js';
import { killServer, slowRestart } from './kill-server.js';
import { openSnapshot } from './open-snapshot.js';
import { refuseConnections } from './refuse-connections.js';
import { lockRows } from './lock-rows.js';
import { fullServer, readOnlyServer } from './server-settings.js';
import { silenceConnections } from './silence-connections.js';
import { slowNetwork } from './slow-network.js';
import { stopProcess } from './stop-process.js';
import { wrongClock } from './wrong-clock.js';

/** All faults. To add one, add a file to this folder and a line here. */
export const FAULTS: readonly Fault[] = [
  killWorker,
  killProducer,
  stopProcess,
  blockEventLoop,
  wrongClock,
  lockRows,
  openSnapshot,
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
];
