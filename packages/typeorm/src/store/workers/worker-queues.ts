/** A queue that a worker works on. */
export interface WorkerQueue {
  readonly name: string;
  /** Its share of the worker's room. */
  readonly weight: number;
}

/** As a worker's row has them: `["mail", ["urgent", 3]]`, the weight where it is not 1. */
export function queuesToText(queues: readonly WorkerQueue[]): string {
  return JSON.stringify(queues.map(({ name, weight }) => (weight === 1 ? name : [name, weight])));
}

/** What `queuesToText` has written. */
export function queuesFromText(text: string): WorkerQueue[] {
  const queues = JSON.parse(text) as (string | readonly [name: string, weight: number])[];
  return queues.map((queue) =>
    typeof queue === 'string' ? { name: queue, weight: 1 } : { name: queue[0], weight: queue[1] },
  );
}
