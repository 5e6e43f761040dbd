import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { tenantOf } from '../../definition/tenant.js';
import { type UniqueKey, uniqueKeyOf } from '../../definition/unique-policy.js';
import type { DueTime, NewJob } from '../../store/base/jobs/new-job.js';
import type { ResolvedJobOptions } from './enqueue-options.js';

/** A job as `enqueue` stores it. A class, not a literal: see docs/decisions/0032. */
export class PreparedJob implements NewJob {
  readonly queue: string;
  readonly name: string;
  readonly payloadVersion: number;
  readonly due: DueTime;
  readonly priority: number;
  readonly key: string | null;
  readonly unique: UniqueKey | null;
  readonly tenant: string | null;

  /**
   * @param input the payload of the call.
   * @param payload its JSON text.
   * @throws InvalidNameError for a tenant or a unique key that cannot be stored.
   */
  constructor(
    readonly id: Buffer,
    definition: AnyJobDefinition,
    input: unknown,
    readonly payload: string | null,
    { due, priority, key, unique: policy = definition.unique, tenant }: ResolvedJobOptions,
  ) {
    this.queue = definition.queue;
    this.name = definition.name;
    this.payloadVersion = definition.version;
    this.due = due;
    this.priority = priority;
    this.key = key;
    this.unique = policy ? uniqueKeyOf(policy, input, payload) : null;
    this.tenant = tenantOf(definition, input, tenant);
  }
}
