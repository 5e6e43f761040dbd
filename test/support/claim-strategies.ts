import type { WorkerOptions } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';

type Strategy = Exclude<WorkerOptions['claimStrategy'], 'auto' | undefined>;

/** Whether an engine's server knows SKIP LOCKED. */
export function hasSkipLocked(engine: Engine): boolean {
  return engine === 'mariadb' || engine === 'mysql';
}

/** The claim strategies that work on an engine's server. */
export function strategiesOf(engine: Engine): readonly Strategy[] {
  return hasSkipLocked(engine) ? ['skip-locked', 'compare-and-set', 'named-lock'] : ['compare-and-set', 'named-lock'];
}
