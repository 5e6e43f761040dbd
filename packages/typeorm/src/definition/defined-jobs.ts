import type { AnyJobDefinition } from './job-definition.js';

/** The definitions of this process by name, then by queue. */
const definitions = new Map<string, Map<string, AnyJobDefinition>>();

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
