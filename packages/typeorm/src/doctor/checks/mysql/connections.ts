import { CONNECTIONS } from '../../../engine/mysql/connections/worker-pool.js';
import { findWorkers } from '../../../store/workers/find-workers.js';
import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** The connections of a worker's pool, and the one that holds its lock. */
const PER_WORKER = CONNECTIONS + 1;

/** Whether the server has free connections. */
export const connections: Check<ExaminedServer> = {
  name: 'connections',
  async run({ engine, globals, status }) {
    const most = numberOf(globals, 'max_connections');
    const open = numberOf(status, 'threads_connected');
    const peak = numberOf(status, 'max_used_connections');
    // Without a free connection this fails too.
    const workers = await engine
      .execute(findWorkers, { purpose: 'read the workers', readOnly: true })
      .catch(() => undefined);
    const found =
      `${open} of ${most} open, at most ${peak} since the server's start; ` +
      `${workers?.length ?? 'unknown'} registered workers, each with up to ${PER_WORKER} beside its application's pool`;
    const why = 'Without free connections enqueues fail, and workers lose their lease, so that jobs run twice.';
    const change = [
      `SET GLOBAL max_connections = ${Math.max(200, most * 2)};`,
      'Or use smaller pools in the application.',
    ];
    return peak >= most || open > 0.8 * most ? warning(found, why, ...change) : ok(found);
  },
};
