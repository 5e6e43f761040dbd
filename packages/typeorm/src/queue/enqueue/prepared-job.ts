import type { Codec } from '../../codec/codec.js';
import type { DueTime } from '../../definition/due-time.js';
import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { assertPayloadAccepted } from '../../definition/payload-json.js';
import { type JobOrder, orderOf } from '../../definition/order.js';
import { tenantOf } from '../../definition/tenant.js';
import { type UniqueKey, uniqueKeyOf } from '../../definition/unique-policy.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { ResolvedJobOptions } from './enqueue-options.js';

/** A job as `enqueue` stores it. A class, not a literal: see docs/decisions/0032. */
export class PreparedJob implements NewJob {
  readonly queue: string;
  readonly name: string;
  readonly payloadVersion: number;
  readonly due: DueTime;
  readonly expiresIn: number | undefined;
  readonly priority: number;
  readonly key: string | null;
  readonly unique: UniqueKey | null;
  readonly order: JobOrder | null;
  readonly tenant: string | null;

  /**
   * @param input the payload of the call.
   * @param payload its JSON text.
   * @param encoder the codec that encodes it later. Keys, orders and tenants come from `input`.
   * @throws InvalidNameError for a tenant or a unique key that cannot be stored; InvalidOptionError for a
   *   job due after `maxWait`.
   */
  constructor(
    readonly id: Buffer,
    definition: AnyJobDefinition,
    input: unknown,
    readonly payload: string | null,
    { due, expiresIn, priority, key, unique: policy = definition.unique, tenant }: ResolvedJobOptions,
    readonly encoder: Codec | undefined,
  ) {
    this.queue = definition.queue;
    this.name = definition.name;
    this.payloadVersion = definition.version;
    this.due = due;
    this.expiresIn = expiresIn ?? definition.expiresIn;
    this.priority = priority;
    this.key = key;
    this.unique = policy ? uniqueKeyOf(policy, input, payload, due) : null;
    this.order = orderOf(definition.order, input);
    this.tenant = tenantOf(definition, input, tenant);
  }
}

/**
 * Returns a job when the schema has accepted its payload. It is made before: the caller may change the payload
 * meanwhile, and its keys must belong to the same payload as its text. An error of the schema comes first.
 *
 * @throws InvalidPayloadError
 */
export async function whenAccepted(
  definition: AnyJobDefinition,
  text: string | null,
  make: () => PreparedJob,
): Promise<PreparedJob> {
  let made: PreparedJob | undefined;
  let failure: unknown;
  try {
    made = make();
  } catch (error) {
    failure = error;
  }
  await assertPayloadAccepted(definition, text);
  if (made === undefined) {
    throw failure;
  }
  return made;
}
