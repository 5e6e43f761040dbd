import { defineJob } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';

/** Which deployment a process of `processes/deployment.ts` belongs to. */
export interface DeploymentConfig {
  readonly engine: Engine;
  readonly url: string;
  readonly version: 1 | 2;
}

/** One job as two deployments define it, by version: the payload was a number, and is an object. */
export const deployedJobs = {
  1: defineJob<number>('deployed'),
  2: defineJob<{ readonly number: number }>('deployed', {
    version: 2,
    upcasters: { 1: (number: number) => ({ number }) },
  }),
} as const;
