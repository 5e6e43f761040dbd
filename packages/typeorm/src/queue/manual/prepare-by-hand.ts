import { isEncoded, readEncoded } from '../../codec/encoded-text.js';
import { definedJob } from '../../definition/define-job.js';
import { EVENTS_QUEUE } from '../../definition/event-queue.js';
import { type AnyJobDefinition, makeJobDefinition } from '../../definition/job-definition.js';
import { newJobId } from '../../definition/job-id.js';
import { upcast } from '../../definition/payload-version.js';
import { assertUnreservedQueue } from '../../definition/reserved-queues.js';
import {
  EventJobError,
  InvalidPayloadError,
  JobKeyChangedError,
  TableQueueError,
  UnknownCodecError,
} from '../../errors/index.js';
import { messageOf } from '../../errors/thrown.js';
import type { StoredJobRow } from '../../store/actions/find-job-row.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { JobOptions } from '../enqueue/enqueue-options.js';
import { resolveJobOptions } from '../enqueue/enqueue-options.js';
import type { Enqueuer } from '../enqueue/enqueuer.js';

/** A duplicate must not pass as a new job, and any time may be given. */
function refusingDuplicates(definition: AnyJobDefinition): AnyJobDefinition {
  const { unique } = definition;
  return unique ? { ...definition, unique: { ...unique, onConflict: 'throw', maxWait: null } } : definition;
}

/**
 * Prepares a job with a payload that was given by hand. The definition of this process checks and encodes it, if there
 * is one; otherwise nothing checks it, and it has no unique key, no order and no tenant.
 *
 * @throws InvalidPayloadError and the other errors of `enqueue`.
 */
export async function prepareByHand(
  enqueuer: Enqueuer,
  name: string,
  queue: string | undefined,
  payload: unknown,
  options: JobOptions,
): Promise<NewJob> {
  if (queue === EVENTS_QUEUE) {
    throw new EventJobError(undefined);
  }
  assertUnreservedQueue('queue', queue);
  const definition = definedJob(name, queue) ?? makeJobDefinition(name, { ...(queue !== undefined && { queue }) });
  const prepared = await prepareChecked(enqueuer, refusingDuplicates(definition), payload, options);
  return { ...prepared, queue: queue ?? definition.queue };
}

/** The functions of a definition that make keys and tenants may throw for what no code would enqueue. */
async function prepareChecked(
  enqueuer: Enqueuer,
  definition: AnyJobDefinition,
  payload: unknown,
  options: JobOptions,
): Promise<NewJob> {
  try {
    return await enqueuer.prepare(definition, payload, options);
  } catch (error) {
    throw error instanceof TableQueueError
      ? error
      : new InvalidPayloadError(definition.name, [
          { path: '', message: `a function of its definition throws: ${messageOf(error)}` },
        ]);
  }
}

/**
 * Prepares another payload for a stored job, or for a copy of it. It is of the version of the stored one.
 *
 * @throws InvalidPayloadError if that is newer than the definition of this process.
 * @throws MissingUpcasterError, UpcasterFailedError if it is older.
 * @throws UnknownCodecError if the stored payload is encoded, and this process would store the new one readably.
 * @throws EventJobError, and the errors of `prepareByHand`.
 */
export async function prepareEdited(
  enqueuer: Enqueuer,
  id: string,
  row: StoredJobRow,
  payload: unknown,
  options: JobOptions = {},
): Promise<NewJob> {
  assertNoEvent(id, row);
  const { name, queue, key, priority, tenant, payload: stored } = row;
  const own = { ...options, priority, ...(key !== null && { key }), ...(tenant !== null && { tenant }) };
  const definition = definedJob(name, queue);
  const current = definition ? await toVersionOf(definition, payload, row.payloadVersion) : payload;
  const job = await prepareByHand(enqueuer, name, queue, current, own);
  if (stored !== null && isEncoded(stored) && job.encoder === undefined) {
    throw new UnknownCodecError(readEncoded(stored).codec, `payload of job "${name}"`);
  }
  const keys = keysOf(row);
  return definition
    ? { ...job, unique: job.unique ?? keys.unique }
    : { ...job, ...keys, payloadVersion: row.payloadVersion };
}

async function toVersionOf(definition: AnyJobDefinition, payload: unknown, version: number): Promise<unknown> {
  if (version > definition.version) {
    const message = `version ${version} of it cannot be checked: the definition of this process has ${definition.version}`;
    throw new InvalidPayloadError(definition.name, [{ path: '', message }]);
  }
  return upcast(definition, payload, version);
}

/** Makes a copy of a stored job with the same stored payload, which is neither decoded nor checked. */
export function copyOf(id: string, row: StoredJobRow, options: JobOptions): NewJob {
  assertNoEvent(id, row);
  const { queue, name, key, payload, payloadVersion, priority, tenant } = row;
  const { due } = resolveJobOptions(options);
  return { id: newJobId(), queue, name, key, payload, payloadVersion, priority, tenant, due, ...keysOf(row) };
}

/**
 * @throws JobKeyChangedError if a job that keeps its id would get another unique key or order key with its new payload.
 */
export function assertSameKeys(id: string, row: StoredJobRow, job: NewJob): void {
  if (row.uniqueKey !== null && job.unique && job.unique.key !== row.uniqueKey) {
    throw new JobKeyChangedError(id, 'unique key');
  }
  if ((row.order?.key ?? null) !== (job.order?.key ?? null)) {
    throw new JobKeyChangedError(id, 'order key');
  }
}

function assertNoEvent(id: string, { queue }: StoredJobRow): void {
  if (queue === EVENTS_QUEUE) {
    throw new EventJobError(id);
  }
}

/** The unique key that a job has, or takes again at its retry, and its order. */
function keysOf({ uniqueKey, order }: StoredJobRow): Pick<NewJob, 'unique' | 'order'> {
  const policy = { lasts: 'unfinished', window: null, onConflict: 'throw', maxWait: null } as const;
  return { unique: uniqueKey === null ? null : { ...policy, key: uniqueKey }, order };
}
