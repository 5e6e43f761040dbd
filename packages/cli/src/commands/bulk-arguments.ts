import { BULK_ACTIONS, isJobId } from '@tablequeue/typeorm/internal';

import { UsageError } from '../errors.js';
import { wrongId } from './command.js';

interface Arguments {
  readonly state?: string;
  readonly priority?: number;
  readonly to?: string;
}

/**
 * Checks which arguments of `bulk` there are. The queue checks their values.
 *
 * @throws UsageError
 */
export function assertBulkArguments(what: string, id: string | undefined, given: Arguments): void {
  if (what === 'stop' || what === 'resume') {
    assertOperation(what, id);
    return;
  }
  const isAction = (BULK_ACTIONS as readonly string[]).includes(what);
  if (!isAction && what !== 'list') {
    throw new UsageError(`"${what}" is none of ${BULK_ACTIONS.join(', ')}, list, stop and resume.`);
  }
  if (id !== undefined) {
    throw new UsageError(`${what} takes no id.${isAction ? ' Select jobs with --state and other filters.' : ''}`);
  }
  if (isAction && given.state === undefined) {
    throw new UsageError('Which jobs? Give --state, and other filters.');
  }
  if (what === 'priority' && given.priority === undefined) {
    throw new UsageError('Which priority? Give --priority.');
  }
  if (what === 'move' && given.to === undefined) {
    throw new UsageError('Which queue? Give --to, the new queue.');
  }
}

function assertOperation(what: string, id: string | undefined): void {
  if (id === undefined) {
    throw new UsageError(`Which operation? Give ${what} the id that "bulk list" shows.`);
  }
  if (!isJobId(id)) {
    throw new UsageError(wrongId(id, 'an operation'));
  }
}
