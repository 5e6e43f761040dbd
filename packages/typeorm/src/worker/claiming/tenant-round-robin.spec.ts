import { expect, jest, test } from '@jest/globals';

import type { Engine } from '../../engine/engine.js';
import { BEFORE_ALL, LANE_HEAD, headOf } from '../../store/base/order/sort-key.js';
import type { TenantLanes } from '../../store/claim/tenant-lanes.js';
import { TenantRoundRobin } from './tenant-round-robin.js';

/** Turns after a poll that has found some lanes, with the turn behind lane 20. */
async function turnsWith(lanes: readonly number[], areAll = true) {
  const turns = new TenantRoundRobin();
  turns.applyPoll(true);
  const poll: TenantLanes = { lanes: lanes.map((lane) => ({ lane, from: headOf(lane) })), areAll };
  const execute = jest.fn(async () => Promise.resolve(poll));
  await turns.pollIfDue({ execute } as unknown as Engine, 'queue');
  expect(execute).toHaveBeenCalledTimes(1);
  turns.applyClaim({ lastLane: 20, visited: new Map(), isExhausted: false, isFull: false });
  return turns;
}

const lanesOf = (turns: TenantRoundRobin, plain = false) =>
  turns.nextLanes(plain ? LANE_HEAD : undefined)?.lanes.map(({ lane }) => lane);

test('lanes form a ring that starts after the last claimed one; jobs without a tenant are one lane', async () => {
  const turns = await turnsWith([10, 20, 30, 40]);
  expect(lanesOf(turns)).toEqual([30, 40, 10, 20]);
  expect(lanesOf(turns, true)).toEqual([30, 40, 0, 10, 20]);
});

test('claimed lanes of a partial ring are removed, and the next part is polled when all are claimed', async () => {
  const turns = await turnsWith([30, 40], false);
  expect(lanesOf(turns, true)).toEqual([30, 40]);
  turns.beginClaim();
  const visited = new Map([[30, headOf(31)]]);
  turns.applyClaim({ lastLane: 30, visited, isExhausted: false, isFull: false });
  expect(lanesOf(turns)).toEqual([40]);
  turns.applyClaim({ lastLane: 40, visited: new Map([[40, headOf(41)]]), isExhausted: false, isFull: false });
  expect(turns.nextLanes(LANE_HEAD)).toBeUndefined();
  expect(turns.pollIn).toBe(0);
});

test('a lane continues after the last claimed job; an empty lane is removed unless jobs were added', async () => {
  const turns = await turnsWith([30, 40, 50]);
  turns.beginClaim();
  turns.addLanes([50]);
  const visited = new Map([
    [30, headOf(35)],
    [40, undefined],
    [50, undefined],
  ]);
  turns.applyClaim({ lastLane: 50, visited, isExhausted: false, isFull: false });
  expect(turns.nextLanes(undefined)?.lanes).toEqual([
    { lane: 30, from: headOf(35) },
    { lane: 50, from: LANE_HEAD },
  ]);
});

test('nothing is polled for where there are no jobs', () => {
  const turns = new TenantRoundRobin();
  expect([turns.isClaimable, turns.pollIn]).toEqual([false, Infinity]);
  turns.applyPoll(true);
  expect([turns.isClaimable, turns.pollIn]).toEqual([true, 0]);
  turns.applyPoll(false);
  expect([turns.isClaimable, turns.pollIn]).toEqual([false, Infinity]);
  expect(turns.nextLanes(BEFORE_ALL)).toBeUndefined();
});
