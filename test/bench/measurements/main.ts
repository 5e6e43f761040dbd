/* A process that does one of the measurements that only Tablequeue has. */
import type { Metrics, Task } from '../client/task.js';
import { besideDashboard } from './beside-dashboard.js';
import { browsing } from './browsing.js';
import { heldSnapshot } from './held-snapshot.js';
import { idleStatements } from './idle-statements.js';
import { largeTables } from './large-tables.js';
import { limits } from './limits.js';
import { manyProcesses } from './many-processes.js';
import { orderedJobs } from './ordered-jobs.js';
import { rateLimits } from './rate-limits.js';
import { remoteLatency } from './remote-latency.js';
import { waitingJobs } from './waiting-jobs.js';

const MEASUREMENTS = new Map<string, (task: Task) => Promise<Metrics>>([
  ['beside-dashboard', besideDashboard],
  ['browsing', browsing],
  ['held-snapshot', heldSnapshot],
  ['idle-statements', idleStatements],
  ['large-tables', largeTables],
  ['limits', limits],
  ['many-processes', manyProcesses],
  ['ordered-jobs', orderedJobs],
  ['rate-limits', rateLimits],
  ['remote-latency', remoteLatency],
  ['waiting-jobs', waitingJobs],
]);

const task = JSON.parse(process.env.TASK ?? '') as Task;
const metrics = await MEASUREMENTS.get(task.task)?.(task);
// What a measurement leaves open must not keep the bench waiting.
process.send?.(metrics, () => process.exit());
