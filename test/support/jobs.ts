import { defineJob } from '@tablequeue/typeorm';

/** Writes its number into the table `run`. */
export const countJob = defineJob<number>('count');

/** Runs until the parent process sends `release`. */
export const holdJob = defineJob<number>('hold');

/** Runs until its signal is aborted, and fails then. */
export const watchJob = defineJob<number>('watch');

/** Kills its process at once. */
export const crashJob = defineJob<number>('crash');

/** In batches: even numbers are written into the table `run` and succeed at once, odd ones after `release`. */
export const batchJob = defineJob<number>('batch');

/** Writes when it began and ended into the table `span`, by the database's clock. */
export const spanJob = defineJob<{ readonly number: number; readonly tenant: string }>('span', {
  queue: 'span',
  tenant: ({ tenant }) => tenant,
});

/** Does nothing: only the worker writes. */
export const idleJob = defineJob<number>('idle');

/** Takes up to 30 ms, each time another number of them. */
export const unevenJob = defineJob<number>('uneven');

/** How many steps a `stepsJob` has. */
export const STEPS = 20;

/** Starts its steps at once, in a random order. Each writes its number, from `STEPS` times the payload, into `run`. */
export const stepsJob = defineJob<number>('steps');

/** Sleeps so many ms between two steps. */
export const sleepJob = defineJob<number>('sleep');

/** Writes its number into the table `run` in its handler's transaction. Each queue has its own. */
export const effectJob = (queue: string) => defineJob<number>(`effect-${queue}`, { queue });
