import { expect, jest, test } from '@jest/globals';

import type { Engine } from '../../engine/engine.js';
import { BEFORE_ALL, LANE_HEAD, headOf } from '../../store/base/sort-key.js';
import type { LaneLook } from '../../store/claim/tenant-lanes.js';
import { TenantRoundRobin } from './tenant-round-robin.js';

/** Turns after a look that has found some lanes, with the turn behind lane 20. */
async function turnsWith(lanes: readonly number[], isWhole = true) {
  const turns = new TenantRoundRobin();
  turns.see(true);
  const look: LaneLook = { lanes: lanes.map((lane) => ({ lane, from: headOf(lane) })), isWhole };
  const execute = jest.fn(async () => Promise.resolve(look));
  await turns.lookIfDue({ execute } as unknown as Engine, 'queue');
  expect(execute).toHaveBeenCalledTimes(1);
  turns.claimed({ last: 20, left: new Map(), bringsNoMore: false, isFull: false });
  return turns;
}

const lanesOf = (turns: TenantRoundRobin, plain = false) =>
  turns.next(plain ? LANE_HEAD : undefined)?.lanes.map(({ lane }) => lane);

test('lanes come in a ring, from the one behind the last turn on, with the jobs without a tenant as one', async () => {
  const turns = await turnsWith([10, 20, 30, 40]);
  expect(lanesOf(turns)).toEqual([30, 40, 10, 20]);
  expect(lanesOf(turns, true)).toEqual([30, 40, 0, 10, 20]);
});

test('of a part of the ring the lanes are left behind, and the next are looked for when all are', async () => {
  const turns = await turnsWith([30, 40], false);
  expect(lanesOf(turns, true)).toEqual([30, 40]);
  turns.beginClaim();
  const left = new Map([[30, headOf(31)]]);
  turns.claimed({ last: 30, left, bringsNoMore: false, isFull: false });
  expect(lanesOf(turns)).toEqual([40]);
  turns.claimed({ last: 40, left: new Map([[40, headOf(41)]]), bringsNoMore: false, isFull: false });
  expect(turns.next(LANE_HEAD)).toBeUndefined();
  expect(turns.lookIn).toBe(0);
});

test('a lane goes on where a claim has left it, and is forgotten when it is empty, unless jobs were added', async () => {
  const turns = await turnsWith([30, 40, 50]);
  turns.beginClaim();
  turns.add([50]);
  const left = new Map([
    [30, headOf(35)],
    [40, undefined],
    [50, undefined],
  ]);
  turns.claimed({ last: 50, left, bringsNoMore: false, isFull: false });
  expect(turns.next(undefined)?.lanes).toEqual([
    { lane: 30, from: headOf(35) },
    { lane: 50, from: LANE_HEAD },
  ]);
});

test('nothing is looked for where there are no jobs', () => {
  const turns = new TenantRoundRobin();
  expect([turns.areKnown, turns.lookIn]).toEqual([false, Infinity]);
  turns.see(true);
  expect([turns.areKnown, turns.lookIn]).toEqual([true, 0]);
  turns.see(false);
  expect([turns.areKnown, turns.lookIn]).toEqual([false, Infinity]);
  expect(turns.next(BEFORE_ALL)).toBeUndefined();
});
