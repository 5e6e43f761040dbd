import { ApiProblem } from '../api/api-problem.error.js';
import type { QueueRow } from '../contract/index.js';
import type { Database } from '../databases/database.registry.js';
import type { QueueRows } from '../overview/queue-rows.js';
import { withSparks } from '../overview/with-sparks.js';

/**
 * @param parameter the name of the parameter that has the queue.
 * @throws ApiProblem if there is no such queue.
 */
export function assertQueue(rows: QueueRows, queue: string, parameter = 'queue'): void {
  if (!rows.has(queue)) {
    throw new ApiProblem('not-found', `There is no queue "${queue}".`, parameter);
  }
}

/** @throws ApiProblem if there is no such queue. */
export async function findQueue(database: Database, rows: QueueRows, queue: string): Promise<QueueRow> {
  assertQueue(rows, queue);
  const [row] = await withSparks(database, rows, [queue]);
  return row as QueueRow;
}
