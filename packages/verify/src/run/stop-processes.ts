import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource } from 'typeorm';

import type { ClientPorts } from '../connections/client-ports.js';
import { DISCONNECT_TIMEOUT } from '../connections/disconnect-timeout.js';
import { openPorts } from '../connections/open-ports.js';
import type { ProcessEvidence } from '../evidence/gathered-evidence.js';
import type { ProcessPool } from '../processes/process-pool.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import { isDoneWithin } from '../timing/is-done-within.js';

/** How long a process may take to stop in order, in ms. */
const STOP_TIMEOUT = 30_000;

/** Stops all processes in order, and returns what they reported and left open. */
export async function stopProcesses(
  pool: ProcessPool,
  dataSource: DataSource,
  ownPorts: ClientPorts,
  proxy: FaultProxy | undefined,
): Promise<ProcessEvidence[]> {
  pool.stopReplacing();
  const running = pool.running();
  pool.send({ type: 'stop' });
  await isDoneWithin(STOP_TIMEOUT, Promise.all(running.map(({ ended }) => ended)));
  await pool.kill();

  const intersect = (ports: Iterable<number>, open: ReadonlySet<number>) => [...ports].filter((port) => open.has(port));
  const reported = pool.all.flatMap(({ report }) => report?.ports ?? []);
  const since = performance.now();
  let open = await openPorts(dataSource, ownPorts, proxy);
  while (intersect(reported, open).length > 0 && performance.now() - since < DISCONNECT_TIMEOUT) {
    await sleep(50);
    open = await openPorts(dataSource, ownPorts, proxy);
  }
  return pool.all.map(({ name, role, report, unexpectedExit, wasAskedToStop }) => ({
    name,
    role,
    report,
    unexpectedExit,
    wasAskedToStop,
    openPorts: intersect(report?.ports ?? [], open),
  }));
}
