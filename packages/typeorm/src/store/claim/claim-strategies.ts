import type { Engine } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import type { ClaimStrategy } from './claim-strategy.js';
import { compareAndSet } from './compare-and-set.js';
import { namedLock } from './named-lock.js';
import { skipLocked } from './skip-locked.js';
import { updateReturning } from './update-returning.js';

/** The strategies on MySQL and MariaDB, by name. */
const ON_SERVERS: Readonly<Record<ClaimStrategyName, ClaimStrategy>> = {
  'skip-locked': skipLocked,
  'compare-and-set': compareAndSet,
  'named-lock': namedLock,
};

/** The name of a strategy that can be chosen. */
export type ClaimStrategyName = 'skip-locked' | 'compare-and-set' | 'named-lock';

/** The values of the option `claimStrategy`. */
export const CLAIM_STRATEGIES = ['auto', ...(Object.keys(ON_SERVERS) as ClaimStrategyName[])] as const;

/**
 * The strategy for a server: the requested one, or with `'auto'` SKIP LOCKED where a test shows that it works.
 *
 * @throws InvalidOptionError on SQLite, which has one strategy only, and for `'skip-locked'` on a server without it.
 */
export async function chooseClaimStrategy(
  engine: Engine,
  wanted: (typeof CLAIM_STRATEGIES)[number],
): Promise<ClaimStrategy> {
  if (engine.isSynchronous) {
    if (wanted !== 'auto') {
      throw new InvalidOptionError('claimStrategy', wanted, "'auto' on SQLite");
    }
    return updateReturning;
  }
  if (wanted === 'skip-locked' && engine.dialect.lockedRows) {
    throw new InvalidOptionError('claimStrategy', wanted, "'auto', 'compare-and-set' or 'named-lock' on this server");
  }
  return wanted === 'auto' ? ((await engine.skipsLocked()) ? skipLocked : compareAndSet) : ON_SERVERS[wanted];
}
