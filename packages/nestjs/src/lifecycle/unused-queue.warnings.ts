import type { JobHandler } from '@tablequeue/typeorm';
import { handledQueues, nearestName } from '@tablequeue/typeorm/internal';

import type { QueueListener } from '../events/queue.listeners.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';

/**
 * Warns of queues in the option `queues`, and of queues of `@OnQueueEvent`, that no handler and no definition of the
 * module uses. Only a warning: several applications may share their options.
 */
export function warnOfUnusedQueues(
  { worker, definitions, logger }: ResolvedModuleOptions,
  handlers: readonly JobHandler[],
  listeners: readonly QueueListener[],
): void {
  const known = [...new Set([...handledQueues(handlers), ...[...definitions.values()].map(({ queue }) => queue)])];
  if (known.length === 0) {
    return;
  }
  const named = [
    ...Object.keys(worker.queues ?? {}).map((queue) => ({ queue, what: `The option "queues.${queue}"` })),
    ...listeners.map(({ queue, source }) => ({ queue, what: `The listener ${source} of queue "${queue}"` })),
  ];
  for (const { queue, what } of named.filter((each) => !known.includes(each.queue))) {
    const nearest = nearestName(queue, known);
    const advice = nearest === undefined ? `The queues are: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
    logger.warn(`${what} has no effect: no handler or definition uses this queue. ${advice}`);
  }
}
