import { CONNECTIONS } from '../../../engine/mysql/connections/worker-pool.js';
import { findWorkers } from '../../../store/workers/find-workers.js';
import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** Those of a worker's own, and the one that holds its lock. */
const PER_WORKER = CONNECTIONS + 1;

/** Whether the server has connections left. */
export const connections: Check<ExaminedServer> = {
  name: 'connections',
  async run({ engine, globals, status }) {
    const most = numberOf(globals, 'max_connections');
    const open = numberOf(status, 'threads_connected');
    const peak = numberOf(status, 'max_used_connections');
    // Where there are no connections left there is none for this either.
    const workers = await engine
      .execute(findWorkers, { purpose: 'look for workers', readOnly: true })
      .catch(() => undefined);
    const found =
      `${open} of ${most} open, ${peak} at most since the server's start; ` +
      `${workers?.length ?? 'unknown'} registered workers, each with up to ${PER_WORKER} beside its application's pool`;
    const why = 'Where there are no more, workers lose their lease and jobs are run twice; enqueues fail.';
    const change = [
      `SET GLOBAL max_connections = ${Math.max(200, most * 2)};`,
      'Or make the pools of the application smaller.',
    ];
    return peak >= most || open > 0.8 * most ? warning(found, why, ...change) : ok(found);
  },
};
