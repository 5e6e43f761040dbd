import type { JobHandler } from '@tablequeue/typeorm';
import { nearestName } from '@tablequeue/typeorm/internal';

import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { queuesOf } from '../roles/work.share.js';

/**
 * Warns of queues in the option `queues` that no handler and no definition of the module uses. Only a warning: several
 * applications may share their options.
 */
export function warnOfUnusedQueues(
  { worker, definitions, logger }: ResolvedModuleOptions,
  handlers: readonly JobHandler[],
): void {
  const known = [...new Set([...queuesOf(handlers), ...[...definitions.values()].map(({ queue }) => queue)])];
  const unused = Object.keys(worker.queues ?? {}).filter((queue) => !known.includes(queue));
  for (const queue of known.length > 0 ? unused : []) {
    const nearest = nearestName(queue, known);
    const advice = nearest === undefined ? `The queues are: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
    logger.warn(`The option "queues.${queue}" has no effect: no handler or definition uses this queue. ${advice}`);
  }
}
