import { ApiProblem } from '../../api/api-problem.js';
import type { QueueRow } from '../../contract/index.js';
import type { Database } from '../../databases.js';
import { described, text } from '../../schema/json-schema.js';

/** The parameter of what is done with a queue. */
export const QUEUE = { queue: described(text(64), 'the name of the queue') };

/** Of what is done with a queue. */
export const QUEUE_PROBLEMS = { 404: 'No queue of this name has jobs, settings or workers.' };

/** What the path of such a route has. */
export interface QueueParams {
  readonly params: { readonly queue: string };
}

/**
 * Changes a queue that there is. A misspelt name would make settings of a queue that nobody has.
 *
 * @returns the queue as it is then.
 * @throws ApiProblem
 */
export async function changeQueue(
  { overview }: Database,
  queue: string,
  change: () => Promise<void>,
): Promise<QueueRow> {
  const find = async () => (await overview.fresh()).queues.find((row) => row.queue === queue);
  const missing = () => new ApiProblem('not-found', `There is no queue "${queue}".`, 'queue');
  if (!(await find())) {
    throw missing();
  }
  await change();
  const changed = await find();
  if (!changed) {
    throw missing();
  }
  return changed;
}
