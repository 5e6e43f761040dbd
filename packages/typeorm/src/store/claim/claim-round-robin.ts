import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import type { LaneLook } from './tenant-lanes.js';
import { MOST_IDS } from '../base/chunks.js';
import { admit, charge, everything } from './admission.js';
import type { Claim, ClaimRequest } from './claim-strategy.js';
import { lockAndMark } from './lock-and-mark.js';
import { capacityOfTenants } from './tenant-capacity.js';
import { RoundRobinOrder } from './round-robin-order.js';

/**
 * After which time a claim goes on no more behind jobs that are held, in ms: where SKIP LOCKED is missing it has waited for
 * them.
 */
export const LONGEST_CLAIM = 1_000;

/**
 * Claims jobs of the tenants of a queue in turns: what is next in the lanes it is given is read without locks
 * (`TurnOrder`), then taken. Part of a transaction.
 *
 * With limits it begins with the queue's row, as every claim of a limited queue does, so what it counts is all that runs.
 *
 * It goes on behind jobs that others have taken or locked. Where SKIP LOCKED is missing it does so only while it has
 * nothing: two claims that have locked jobs and go on in different orders would wait for one another in a circle.
 */
export function* claimRoundRobin(dialect: Dialect, request: ClaimRequest, turns: LaneLook): Operation<Claim> {
  const { queue, isLimited } = request;
  const admission = isLimited ? yield* admit(dialect, queue, request.limit) : everything(request);
  const { admitted } = admission;
  if (admitted === 0) {
    return { ...admission, jobs: [] };
  }
  const room = yield* capacityOfTenants(dialect, queue, admission.perTenant);
  const order = new RoundRobinOrder(queue, turns, room);
  let last: number | undefined;
  const jobs: ClaimedJob[] = [];
  const until = performance.now() + LONGEST_CLAIM;
  const goesOn = () => !dialect.lockedRows || (jobs.length === 0 && performance.now() < until);
  for (let count = 0; jobs.length < admitted && (count === 0 || goesOn()); count++) {
    const wanted = admitted - jobs.length;
    // An open transaction may have locked thousands: the more it was in vain, the more are tried at once.
    const chosen = yield* order.choose(dialect, Math.min(wanted * 2 ** count, MOST_IDS));
    if (chosen.length === 0) {
      break;
    }
    const taken = yield* lockAndMark(dialect, request, chosen, wanted);
    const byId = new Map(taken.map((job) => [job.id.toString('hex'), job]));
    const missed = new Set<number>();
    for (const { id, lane, tenant } of chosen) {
      const job = byId.get(id.toString('hex'));
      if (job) {
        jobs.push(job);
        last = lane;
      } else {
        room.giveBack(tenant);
        missed.add(lane);
      }
    }
    order.goOn(missed);
  }
  if (isLimited && jobs.length > 0) {
    yield* charge(dialect, queue, jobs.length);
  }
  // Where all that was chosen is locked, a claim at once would choose it again.
  const bringsNoMore = jobs.length === 0 || (order.isOver && turns.isWhole && jobs.length < admitted);
  const isFull = bringsNoMore && order.hasFull;
  // Also where nothing could be had: the next claim has to go on behind the lanes that are full.
  return {
    ...admission,
    jobs,
    turns: { last: last ?? turns.lanes.at(-1)?.lane, left: order.left, bringsNoMore, isFull },
  };
}
