import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import { InvalidOptionError } from '../../errors/index.js';
import { optionalTime } from '../../options.js';
import { type BrowseFilter, LAST_TIME } from '../../store/browse/browse-filter.js';

/** Selects failed jobs: those that match every given property. `{}` selects all. */
export interface FailedFilter {
  /** Only jobs of this queue. */
  readonly queue?: QueueName;
  /** Only jobs of this definition. */
  readonly only?: AnyJobDefinition;
  /**
   * Only jobs whose error contains this text, with its stack and causes. Case-sensitive, at least one character. Errors
   * that a codec has encoded are not found.
   */
  readonly errorIncludes?: string;
  /** Only jobs that failed at this time or later. */
  readonly finishedAfter?: Date;
  /** Only jobs that failed before this time. */
  readonly finishedBefore?: Date;
}

export const FAILED_FILTER_OPTIONS = ['queue', 'only', 'errorIncludes', 'finishedAfter', 'finishedBefore'];

/** @throws InvalidOptionError, InvalidNameError */
export function resolveFailedFilter(filter: FailedFilter): BrowseFilter {
  const { queue, only, errorIncludes, finishedAfter, finishedBefore } = filter;
  if (queue !== undefined) {
    assertQueueName(queue);
  }
  if (only !== undefined) {
    assertJobDefinition('only', only);
  }
  if (errorIncludes !== undefined && (typeof errorIncludes !== 'string' || errorIncludes === '')) {
    throw new InvalidOptionError('errorIncludes', errorIncludes, 'a text of at least one character');
  }
  return {
    state: 'failed',
    queue: queue ?? null,
    name: only?.name ?? null,
    key: null,
    tenant: null,
    error: errorIncludes ?? null,
    from: optionalTime('finishedAfter', finishedAfter) ?? 0,
    before: optionalTime('finishedBefore', finishedBefore) ?? LAST_TIME,
    otherThan: null,
  };
}
