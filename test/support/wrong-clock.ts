/**
 * How a machine's clock goes wrong: by a fixed time, in ms, or every 30 ms by another time up to as much, both ways.
 */
export interface WrongClock {
  readonly by: number;
  readonly jumps?: boolean;
}

/**
 * Environment for a process whose `Date` goes wrong. Timers and `performance.now` go on as they would: the system has a
 * clock for them that cannot be set.
 */
export function withClock({ by, jumps = false }: WrongClock): Record<string, string> {
  const before = `
    const Real = Date;
    let by = ${by};
    ${jumps ? `setInterval(() => { by = (Math.random() * 2 - 1) * ${by}; }, 30).unref();` : ''}
    const now = () => Real.now() + Math.trunc(by);
    globalThis.Date = new Proxy(Real, {
      construct: (target, values, self) => Reflect.construct(target, values.length ? values : [now()], self),
      apply: () => new Real(now()).toString(),
      get: (target, name) => name === 'now' ? now : Reflect.get(target, name),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(before)}` };
}

/** Lets the clock of this process be wrong while something is done. */
export async function atWrongTime<T>(by: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + by;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}
