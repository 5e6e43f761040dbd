/**
 * The attempts of a queue, or of all, that ended in a process since the last write, and the jobs that expired. Times in
 * whole ms.
 */
export interface ThroughputDelta {
  readonly queue: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly retried: number;
  readonly expired: number;
  readonly latencySum: number;
  readonly latencyMax: number;
  readonly runSum: number;
  readonly runMax: number;
}

/** The time that a row has the attempts of, in ms. */
export const MINUTE = 60_000;

/** In the place of a queue: all queues together. No queue has this name. */
export const ALL_QUEUES = '';

/** Returns what several queues had together, and then what each had. See docs/decisions/0149. */
export function withTotal(deltas: readonly ThroughputDelta[]): ThroughputDelta[] {
  const sum = (property: Exclude<keyof ThroughputDelta, 'queue'>) =>
    deltas.reduce((total, delta) => total + delta[property], 0);
  const total = {
    queue: ALL_QUEUES,
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    retried: sum('retried'),
    expired: sum('expired'),
    latencySum: sum('latencySum'),
    latencyMax: Math.max(...deltas.map(({ latencyMax }) => latencyMax)),
    runSum: sum('runSum'),
    runMax: Math.max(...deltas.map(({ runMax }) => runMax)),
  };
  return [total, ...deltas];
}
