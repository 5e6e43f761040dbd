/** The queues of all definitions in this process. */
const queues = new Set<string>();

export function addDefinedQueue(queue: string): void {
  queues.add(queue);
}

export function definedQueues(): readonly string[] {
  return [...queues];
}
