import type { Engine } from '../servers/engines.js';
import { useApi } from './api-application.js';
import { actionTests } from './api-actions.suite.js';
import { bulkTests } from './api-bulk.suite.js';
import { graphTests } from './api-graph.suite.js';
import { jobTests } from './api-jobs.suite.js';
import { queueListTests } from './api-queue-list.suite.js';
import { queueTests } from './api-queues.suite.js';

/**
 * Tests the API on one engine. Each engine has its own file, because @nestjs/typeorm keeps the entities of all
 * applications of a process by the names of their data sources.
 */
export function apiSuite(engine: Engine): void {
  const api = useApi(engine);
  queueTests(api);
  queueListTests(api);
  jobTests(api);
  actionTests(api);
  bulkTests(api);
  graphTests(api);
}
