import { defineJob, fixed } from '@tablequeue/typeorm';

import { ATTEMPTS, BACKOFF, CRASHES, UNIT } from './model-job.js';

/** All jobs of the machine are of this kind. */
export const machineJob = defineJob<number>('machine', {
  queue: 'machine',
  retry: { attempts: ATTEMPTS, crashes: CRASHES, backoff: fixed(BACKOFF * UNIT) },
});
