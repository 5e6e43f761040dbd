import type { StandardSchemaV1 } from '@standard-schema/spec';

import {
  type AnyJobDefinition,
  type JobDefinition,
  type JobDefinitionOptions,
  makeJobDefinition,
} from './job-definition.js';
import { assertJobName } from './names.js';
import { assertUnreservedQueue } from './reserved-queues.js';

/** The definitions of this process by name, then by queue. */
const definitions = new Map<string, Map<string, AnyJobDefinition>>();

/**
 * Defines a kind of job. The payload type comes from the schema, or from the type argument.
 *
 * @example
 * ```ts
 * const sendMail = defineJob<{ to: string }>('mail.send', {
 *   queue: 'mail',
 *   retry: { attempts: 5, backoff: exponential({ from: '10s', max: '1h' }) },
 * });
 * ```
 *
 * @param name 1 to 128 of the characters A-Z a-z 0-9 . _ : / -, beginning with a letter or a digit. It is stored with
 *   each job, so it must not change while jobs exist.
 * @throws InvalidNameError for a name or a queue that cannot be stored.
 * @throws InvalidOptionError for an option with a wrong value, UnknownOptionError for one that does not exist.
 */
export function defineJob<Schema extends StandardSchemaV1>(
  name: string,
  options: JobDefinitionOptions<Schema, StandardSchemaV1.InferInput<Schema>> & { readonly schema: Schema },
): JobDefinition<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>>;
export function defineJob<Payload = void>(
  name: string,
  options?: JobDefinitionOptions<undefined, Payload>,
): JobDefinition<Payload>;
export function defineJob(name: string, options: JobDefinitionOptions = {}): AnyJobDefinition {
  assertJobName(name);
  assertUnreservedQueue('queue', options?.queue);
  const definition = makeJobDefinition(name, options);
  addDefinedJob(definition);
  return definition;
}

export function addDefinedJob(definition: AnyJobDefinition): void {
  const { name, queue } = definition;
  definitions.set(name, (definitions.get(name) ?? new Map<string, AnyJobDefinition>()).set(queue, definition));
}

/**
 * Finds the definition of a stored job in this process. A job that was moved to another queue keeps its definition.
 *
 * @returns undefined if this process has none.
 */
export function definedJob(name: string, queue?: string): AnyJobDefinition | undefined {
  const own = definitions.get(name);
  return (queue === undefined ? undefined : own?.get(queue)) ?? [...(own?.values() ?? [])].at(-1);
}

/** The queues of all definitions in this process. */
export function definedQueues(): readonly string[] {
  return [...new Set([...definitions.values()].flatMap((queues) => [...queues.keys()]))];
}
