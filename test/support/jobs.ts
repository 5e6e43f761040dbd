import { defineJob } from '@tablequeue/typeorm';

/** Writes its number into the table `run`. */
export const countJob = defineJob<number>('count');

/** Runs until the parent process says `release`. */
export const holdJob = defineJob<number>('hold');

/** Does nothing: all that is written is what the worker writes. */
export const idleJob = defineJob<number>('idle');
