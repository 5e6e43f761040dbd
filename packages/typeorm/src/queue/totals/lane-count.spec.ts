import { describe, expect, test } from '@jest/globals';

import type { Outcome, LiveState } from '../../tables/job.js';
import { CHUNK, type LaneCount, expectedAfter, expectedBeyond, isLong, nextDue } from './lane-count.js';

const NOW = 1_000_000;
const cursor = { lane: 0, position: 1, id: Buffer.alloc(16) };

const laneCount = (queue: string, count: number, more: Partial<LaneCount> = {}): LaneCount => ({
  queue,
  state: 'succeeded',
  result: { count, isMinimum: false, countedAt: 0 },
  since: 0,
  expected: expectedAfter(count),
  reached: 0,
  cursor: undefined,
  ...more,
});
const uncounted = (queue: string, more: Partial<LaneCount> = {}) =>
  laneCount(queue, 1, { result: { count: 1, isMinimum: true, countedAt: 0 }, ...more });
const chosen = (all: readonly LaneCount[], turn: number) => nextDue(all, turn, NOW).map(({ queue }) => queue);
/** What the turns choose, one after another. */
const inTurns = (all: readonly LaneCount[], turns: number) =>
  Array.from({ length: turns }, (_, turn) => chosen(all, turn).join(' '));

describe('one statement', () => {
  test('counts fifty queues of unknown length', () => {
    const all = Array.from({ length: 60 }, (_, number) => uncounted(String(number)));
    expect(chosen(all, 0)).toHaveLength(50);
  });

  test('counts as many as fit into a chunk, and leaves out larger ones between them', () => {
    const all = [laneCount('a', 2_000), laneCount('b', 7_000), laneCount('c', 2_000), laneCount('d', 1)];
    expect(chosen(all, 0)).toEqual(['a', 'c', 'd']);
    expect(chosen([laneCount('b', 7_000), ...all], 0)).toEqual(['b']);
  });

  test('counts one long queue', () => {
    expect(isLong(laneCount('long', CHUNK))).toBe(true);
    expect(chosen([laneCount('long', CHUNK), laneCount('long too', CHUNK)], 0)).toEqual(['long']);
  });

  test('expects more after each limit that was reached, up to a long queue', () => {
    const expected = [200, expectedBeyond(200), expectedBeyond(1_600), expectedBeyond(CHUNK)];
    expect(expected).toEqual([200, 1_600, CHUNK, Infinity]);
  });
});

describe('turns', () => {
  const live = { state: 'ready' as LiveState };
  const failed = { state: 'failed' as Outcome };

  test('are shared by unfinished and finished jobs, and by long and short queues', () => {
    const all = [
      laneCount('long ended', 900_000),
      laneCount('short ended', 10, failed),
      laneCount('long ready', 900_000, live),
      laneCount('short ready', 10, live),
    ];
    expect(inTurns(all, 4)).toEqual(['long ready', 'long ended', 'short ready', 'short ended']);
  });

  test('go to the others where nothing is due', () => {
    const ended = laneCount('ended', 900_000);
    expect(inTurns([ended, laneCount('fresh', 10, { ...live, since: NOW - 4_999 })], 4)).toEqual(
      Array<string>(4).fill('ended'),
    );
    expect(chosen([laneCount('fresh', 10, { since: NOW - 4_999 })], 0)).toEqual([]);
  });

  test('of long queues go on with the count under way', () => {
    const all = [laneCount('under way', 900_000, { cursor, since: NOW }), laneCount('next', 900_000)];
    expect(inTurns(all, 2)).toEqual(['under way', 'under way']);
  });

  test('of short queues go to those that were never counted', () => {
    expect(chosen([laneCount('old', 10), uncounted('new')], 2)).toEqual(['new']);
  });
});
