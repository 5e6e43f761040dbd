import { assertKey, assertQueueName, assertStoredJobName, assertTenant } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import { InvalidOptionError } from '../../errors/index.js';
import { optionalTime } from '../../options.js';
import { type BrowseFilter, LAST_TIME } from '../../store/browse/browse-filter.js';
import { LIVE_STATES, type LiveState, OUTCOMES, type Outcome } from '../../tables/job.js';

/** Selects jobs: those of a state that match every other given property. */
export interface JobFilter {
  /** The state of the jobs. */
  readonly state: LiveState | Outcome;
  /** Only jobs of this queue. */
  readonly queue?: QueueName;
  /** Only jobs of the definition with this name. */
  readonly name?: string;
  /** Only jobs with this key. */
  readonly key?: string;
  /** Only jobs of this tenant. */
  readonly tenant?: string;
  /**
   * Only jobs whose last error contains this text, with its stack and causes. Case-sensitive, at least one character.
   */
  readonly errorIncludes?: string;
  /** Only jobs whose last error has this fingerprint: see `failed.errors`. Errors that a codec has encoded have none. */
  readonly errorFingerprint?: string;
  /** Only jobs from this time on: the time that live jobs are due, or that finished jobs ended. */
  readonly from?: Date;
  /** Only jobs before this time, compared as `from`. */
  readonly before?: Date;
}

export const FILTER_OPTIONS = [
  'state',
  'queue',
  'name',
  'key',
  'tenant',
  'errorIncludes',
  'errorFingerprint',
  'from',
  'before',
];

export const STATES: readonly JobFilter['state'][] = [...LIVE_STATES, ...OUTCOMES];

/**
 * Checks a filter. The names of its options were checked before.
 *
 * @throws InvalidOptionError, InvalidNameError
 */
export function resolveJobFilter(filter: JobFilter): BrowseFilter {
  const { state, queue, name, key, tenant, errorIncludes, errorFingerprint, from, before } = filter;
  if (!STATES.includes(state)) {
    throw new InvalidOptionError('state', state, `one of ${STATES.join(', ')}`);
  }
  check(queue, assertQueueName);
  check(name, assertStoredJobName);
  check(key, assertKey);
  check(tenant, assertTenant);
  if (errorIncludes !== undefined && (typeof errorIncludes !== 'string' || errorIncludes === '')) {
    throw new InvalidOptionError('errorIncludes', errorIncludes, 'a text of at least one character');
  }
  if (errorFingerprint !== undefined) {
    assertFingerprint('errorFingerprint', errorFingerprint);
  }
  return {
    state,
    queue: queue ?? null,
    name: name ?? null,
    key: key ?? null,
    tenant: tenant ?? null,
    error: errorIncludes ?? null,
    fingerprint: errorFingerprint ?? null,
    from: optionalTime('from', from) ?? 0,
    before: optionalTime('before', before) ?? LAST_TIME,
    otherThan: null,
  };
}

function check(value: unknown, assert: (value: unknown) => void): void {
  if (value !== undefined) {
    assert(value);
  }
}

/** @throws InvalidOptionError naming `option`. */
export function assertFingerprint(option: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || !/^[\da-f]{16}$/.test(value)) {
    throw new InvalidOptionError(option, value, 'the "fingerprint" of an error: 16 hexadecimal digits');
  }
}
