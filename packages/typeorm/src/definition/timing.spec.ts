import { describe, expect, test } from '@jest/globals';

import { type Timing, firstTick, ticksUpTo } from './timing.js';

const HOUR = 3_600_000;

function at(text: string): number {
  return Date.parse(text);
}

function inBerlin(cron: string): Timing {
  return { cron, timeZone: 'Europe/Berlin' };
}

/** The ticks behind one time up to another, as text in UTC. */
function ticks(timing: Timing, from: string, to: string): string[] {
  const first = firstTick(timing, at(from));
  return first === null || first > at(to)
    ? []
    : ticksUpTo(timing, first, at(to), 1000).ticks.map((tick) => new Date(tick).toISOString().slice(0, 16));
}

describe('daylight saving in Berlin', () => {
  const SPRING = ['2026-03-28T12:00Z', '2026-03-30T12:00Z'] as const;
  const AUTUMN = ['2026-10-24T12:00Z', '2026-10-26T12:00Z'] as const;

  test('in spring a skipped time of day ticks right after the change', () => {
    expect(ticks(inBerlin('30 2 * * *'), ...SPRING)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
    expect(ticks(inBerlin('15,45 2 * * *'), ...SPRING).slice(0, 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:15']);
  });

  test('in autumn a time of day that comes twice ticks the first time only', () => {
    expect(ticks(inBerlin('30 2 * * *'), ...AUTUMN)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(ticks(inBerlin('30 2,14 * * *'), ...AUTUMN)).toHaveLength(4);
  });

  test('a wildcard or a step follows the clocks: every half hour stays every half hour', () => {
    for (const [from, to] of [SPRING, AUTUMN]) {
      const every = ticks(inBerlin('*/30 * * * *'), from, to).map((tick) => at(`${tick}Z`));
      expect(every).toHaveLength(96);
      const [first = 0] = every;
      expect(every).toEqual(every.map((_tick, index) => first + (index * HOUR) / 2));
    }
  });

  test('an hour before and after the change the day is the right one', () => {
    expect(ticks(inBerlin('0 3 * * *'), ...SPRING)).toEqual(['2026-03-29T01:00', '2026-03-30T01:00']);
    expect(ticks(inBerlin('0 0 * * *'), ...AUTUMN)).toEqual(['2026-10-24T22:00', '2026-10-25T23:00']);
  });
});

describe('ticks that are due', () => {
  const NOW = at('2026-10-25T12:00:00.500Z');

  test.each([
    ['*/15 * * * *', 'Europe/Berlin'],
    ['0 0 * * *', 'Europe/Berlin'],
    ['15,45 2 * * *', 'Europe/Berlin'],
    ['*/10 1-3 * * *', 'Australia/Lord_Howe'],
    ['0 */2 * * *', 'Africa/Cairo'],
    ['*/20 * * * * *', 'UTC'],
  ])('the latest of %s in %s are those that one finds one by one', (cron, timeZone) => {
    const timing = { cron, timeZone };
    const first = firstTick(timing, NOW - 48 * HOUR)!;
    const all = ticksUpTo(timing, first, NOW, 100_000);
    expect(all.omitted).toBeUndefined();
    expect(all.next).toBe(firstTick(timing, NOW));
    expect(ticksUpTo(timing, first, NOW, all.ticks.length)).toEqual(all);
    expect(ticksUpTo(timing, first, NOW, 1)).toEqual({
      ticks: all.ticks.slice(-1),
      omitted: all.ticks.at(-2),
      next: all.next,
    });
  });

  test('of an interval', () => {
    const timing: Timing = { cron: null, every: 1000 };
    expect(firstTick(timing, 10)).toBe(1010);
    expect(ticksUpTo(timing, 1010, 1010, 5)).toEqual({ ticks: [1010], omitted: undefined, next: 2010 });
    expect(ticksUpTo(timing, 1010, 4009, 5)).toEqual({ ticks: [1010, 2010, 3010], omitted: undefined, next: 4010 });
    expect(ticksUpTo(timing, 1010, 4010, 2)).toEqual({ ticks: [3010, 4010], omitted: 2010, next: 5010 });
  });

  test('a tick is never that of the second it is asked in', () => {
    const everySecond: Timing = { cron: '* * * * * *', timeZone: 'UTC' };
    expect(firstTick(everySecond, 1_000_000)).toBe(1_001_000);
    expect(firstTick(everySecond, 1_000_500)).toBe(1_001_000);
    expect(firstTick(everySecond, 1_000_999)).toBe(1_001_000);
  });
});
