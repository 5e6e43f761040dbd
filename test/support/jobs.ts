import { defineJob } from '@tablequeue/typeorm';

/** Writes its number into the table `run`. */
export const countJob = defineJob<number>('count');

/** Runs until the parent process says `release`. */
export const holdJob = defineJob<number>('hold');

/** Runs until it is told to end, and fails then. */
export const watchJob = defineJob<number>('watch');

/** Kills its process at once. */
export const crashJob = defineJob<number>('crash');

/** Does nothing: all that is written is what the worker writes. */
export const idleJob = defineJob<number>('idle');

/** Takes up to 30 ms, each time another number of them. */
export const unevenJob = defineJob<number>('uneven');

/** Writes its number into the table `run` in its handler's transaction. Each queue has its own. */
export const effectJob = (queue: string) => defineJob<number>(`effect-${queue}`, { queue });
