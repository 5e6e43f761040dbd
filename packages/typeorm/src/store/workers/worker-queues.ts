/** A queue that a worker claims from. */
export interface WorkerQueue {
  readonly name: string;
  /** Its share of the worker's capacity. */
  readonly weight: number;
}

/** The queues as text for a worker's row: `["mail", ["urgent", 3]]`, with the weight where it is not 1. */
export function queuesToText(queues: readonly WorkerQueue[]): string {
  return JSON.stringify(queues.map(({ name, weight }) => (weight === 1 ? name : [name, weight])));
}

/** Reads the text of `queuesToText`. */
export function queuesFromText(text: string): WorkerQueue[] {
  const queues = JSON.parse(text) as (string | readonly [name: string, weight: number])[];
  return queues.map((queue) =>
    typeof queue === 'string' ? { name: queue, weight: 1 } : { name: queue[0], weight: queue[1] },
  );
}
