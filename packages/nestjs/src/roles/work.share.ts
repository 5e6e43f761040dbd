import type { JobHandler } from '@tablequeue/typeorm';
import { handledQueues } from '@tablequeue/typeorm/internal';

import { NothingToWorkOnError, UnknownQueueError } from '../errors/index.js';
import { type Decided, type ProcessRole, assertOthersWork } from './process.role.js';

/** The part of an application's jobs that this process runs. */
export interface WorkShare {
  /** The handlers of the queues this process claims from. */
  readonly handlers: readonly JobHandler[];
  /** A log line about it. */
  readonly text: string;
}

/**
 * @param own the handlers of the queue's data source.
 * @param all the handlers of all data sources whose modules are no producers: settings from the environment apply to
 * all.
 * @throws UnknownQueueError, NothingToWorkOnError, InvalidEnvironmentError
 */
export function workShare(
  { role, workOn }: ProcessRole,
  own: readonly JobHandler[],
  all: readonly JobHandler[],
): WorkShare {
  const title = `Role "${role.value}" (${role.by})`;
  if (role.value === 'producer') {
    assertOthersWork({ role, workOn }, all);
    return { handlers: [], text: `${title}: enqueues only` };
  }
  if (role.value === 'worker' && all.length === 0) {
    throw new NothingToWorkOnError(role.by);
  }
  if (workOn) {
    assertKnown(workOn, workOn.isFromEnvironment ? all : own);
  }
  const handlers = workOn ? own.filter(({ definition }) => workOn.value.includes(definition.queue)) : own;
  return {
    handlers,
    text:
      handlers.length === 0
        ? `${title}: enqueues only, because it has no handlers`
        : `${title}: works on ${handledQueues(handlers).join(', ')} (${workOn?.by ?? 'all that have handlers'})`,
  };
}

function assertKnown({ value, by }: Decided<readonly string[]>, handlers: readonly JobHandler[]): void {
  const known = handledQueues(handlers);
  const unknown = value.filter((queue) => !known.includes(queue));
  if (unknown.length > 0) {
    throw new UnknownQueueError(by, unknown, known);
  }
}
