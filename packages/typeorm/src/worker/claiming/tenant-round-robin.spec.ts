import { expect, jest, test } from '@jest/globals';

import type { Engine } from '../../engine/engine.js';
import { BEFORE_ALL, LANE_HEAD, headOf } from '../../store/base/order/sort-key.js';
import type { TenantLanesFound } from '../../store/claim/tenant-lanes.js';
import { TenantRoundRobin } from './tenant-round-robin.js';

const CLAIMED = { lastLane: undefined, visited: new Map(), limited: new Map(), isExhausted: false, isFull: false };

/** Turns after a poll that has found some lanes, with the turn behind lane 20. */
async function turnsWith(lanes: readonly number[], areAll = true, limited: readonly number[] = []) {
  const turns = new TenantRoundRobin();
  turns.applyPoll(true);
  const poll: TenantLanesFound = {
    lanes: lanes.map((lane) => ({ lane, from: headOf(lane) })),
    limited: limited.map((lane) => ({ lane, from: headOf(lane), freeIn: 60_000 })),
    areAll,
    lastLane: Math.max(...lanes, ...limited),
  };
  const execute = jest.fn(async () => Promise.resolve(poll));
  await turns.pollIfDue({ execute } as unknown as Engine, 'queue', true);
  expect(execute).toHaveBeenCalledTimes(1);
  turns.applyClaim({ ...CLAIMED, lastLane: 20 });
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
  turns.applyClaim({ ...CLAIMED, lastLane: 30, visited });
  expect(lanesOf(turns)).toEqual([40]);
  turns.applyClaim({ ...CLAIMED, lastLane: 40, visited: new Map([[40, headOf(41)]]) });
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
  turns.applyClaim({ ...CLAIMED, lastLane: 50, visited });
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

test('lanes of tenants at their rate are left out until they have a token, also for jobs of this process', async () => {
  const turns = await turnsWith([30], true, [40, 50]);
  expect(lanesOf(turns)).toEqual([30]);
  expect(turns.addLanes([40])).toBe(false);
  expect(turns.addLanes([60])).toBe(true);
  expect(lanesOf(turns)).toEqual([30, 60]);
  turns.beginClaim();
  const visited = new Map([
    [30, headOf(31)],
    [60, headOf(61)],
  ]);
  const limited = new Map([
    [30, 60_000],
    [60, 0],
  ]);
  turns.applyClaim({ ...CLAIMED, lastLane: 60, visited, limited });
  expect([turns.areLimited, turns.isClaimable]).toEqual([true, true]);
  const found = { lanes: [{ lane: 60, from: headOf(61) }], limited: [], areAll: true, lastLane: 60 };
  await turns.pollIfDue({ execute: async () => Promise.resolve(found) } as unknown as Engine, 'queue', true);
  expect(lanesOf(turns)).toEqual([60]);
});

test('a lane that has a token again is claimed from although a poll has found other lanes', async () => {
  const turns = await turnsWith([30], false, [10]);
  turns.beginClaim();
  turns.applyClaim({ ...CLAIMED, lastLane: 30, visited: new Map([[30, headOf(31)]]), limited: new Map([[30, 0]]) });
  const found = { lanes: [{ lane: 60, from: headOf(60) }], limited: [], areAll: false, lastLane: 60 };
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000);
  await turns.pollIfDue({ execute: async () => Promise.resolve(found) } as unknown as Engine, 'queue', true);
  clock.mockRestore();
  expect(lanesOf(turns)).toEqual([60, 30]);
});

test('where all tenants are at their rate, it polls for the next ones and then pauses longer and longer', async () => {
  const turns = new TenantRoundRobin();
  turns.applyPoll(true);
  const limited = [{ lane: 40, from: headOf(40), freeIn: 60_000 }];
  let now = 1_000;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const poll = async (found: Partial<TenantLanesFound>) => {
    now += turns.pollIn;
    const execute = jest.fn(async () => Promise.resolve({ lanes: [], limited, areAll: true, lastLane: 40, ...found }));
    await turns.pollIfDue({ execute } as unknown as Engine, 'queue', true);
    expect(execute).toHaveBeenCalledTimes(1);
    return turns.pollIn;
  };
  expect(await poll({ areAll: false })).toBe(20);
  const pauses = [await poll({}), await poll({}), await poll({}), await poll({}), await poll({})];
  expect(pauses).toEqual([100, 200, 400, 750, 750]);
  expect(await poll({ lanes: [{ lane: 41, from: headOf(41) }] })).toBe(0);
  clock.mockRestore();
});

test('a process that enqueues jobs of 200,000 tenants at once can claim', async () => {
  const turns = await turnsWith([30]);
  turns.addLanes(Array.from({ length: 200_000 }, (_, lane) => lane + 1));
  expect(lanesOf(turns, true)).toHaveLength(200_001);
});
