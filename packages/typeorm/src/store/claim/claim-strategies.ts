import type { ClaimStrategy } from './claim-strategy.js';
import { skipLocked } from './skip-locked.js';
import { updateReturning } from './update-returning.js';

/** The way to claim on a kind of database. */
export function claimStrategyFor(databaseType: string): ClaimStrategy {
  return databaseType === 'better-sqlite3' ? updateReturning : skipLocked;
}
