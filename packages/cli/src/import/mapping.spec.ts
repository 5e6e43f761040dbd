import { describe, expect, test } from '@jest/globals';

import { readBullJob } from './bull-job.js';
import { mapJob } from './map-job.js';
import { isCompressed, mapPriority } from './map-priority.js';
import { mapSchedule } from './read-schedules.js';

const LOWEST = 2 ** 21;

describe('priorities', () => {
  test.each([false, true])('keep their order (Bull 4: %s)', (isBull4) => {
    const mapped = Array.from({ length: 3_000 }, (_, index) => mapPriority(index + 1, isBull4));
    mapped.push(mapPriority(LOWEST - 1, isBull4), mapPriority(LOWEST, isBull4));
    expect(mapped).toEqual([...mapped].sort((a, b) => a - b));
    expect([mapped[0], mapped[399], mapped.at(-1)]).toEqual(isBull4 ? [-500, -101, -1] : [1, 400, 500]);
    expect(mapPriority(0, isBull4)).toBe(0);
  });

  test('share a number above 400 only', () => {
    expect([isCompressed(400), isCompressed(401)]).toEqual([false, true]);
  });
});

describe('jobs', () => {
  const context = {
    redisPrefix: 'bull',
    isBull4: false,
    state: 'waiting',
    runAt: 5,
    names: new Map([['odd name', 'even']]),
    accepts: () => true,
  } as const;
  const hash = { name: 'send', data: '{}', opts: '{}', timestamp: '1700000000000' };
  const map = (id: string, change: Record<string, string> = {}) =>
    mapJob(readBullJob('mail', id, { ...hash, ...change }), context);

  test('have an id that depends on queue, id and creation only', () => {
    const idOf = (mapped: ReturnType<typeof map>) => ('job' in mapped ? mapped.job.id.toString('hex') : '');
    expect(idOf(map('1', { data: '[1]' }))).toBe(idOf(map('1')));
    expect(idOf(map('1'))).toMatch(/^018bcfe568007/);
    expect(new Set([map('1'), map('2'), map('1', { timestamp: '1700000000001' })].map(idOf)).size).toBe(3);
  });

  test.each([
    ['12', null],
    ['order:1', 'order:1'],
    ['x'.repeat(192), null],
    ['ends with a space ', null],
  ])('with the id %s have the key %s', (id, key) => {
    expect(map(id)).toMatchObject({ job: { key } });
  });

  test('get other names', () => {
    expect(map('1', { name: 'odd name' })).toMatchObject({ job: { name: 'even' } });
    expect(map('1', { name: '' })).toMatchObject({ job: { name: 'mail' } });
    expect(map('1', { name: 'odd name 2' })).toMatchObject({ refusal: expect.stringContaining('"odd name 2"') });
  });

  test('stay in queues whose names are not allowed here', () => {
    const mapIn = (queue: string) => mapJob(readBullJob(queue, '1', hash), context);
    expect(mapIn('{mail}')).toMatchObject({ refusal: expect.stringContaining('"{mail}"') });
    expect(mapIn('tablequeue.alerts')).toMatchObject({ refusal: expect.stringContaining('reserved') });
  });

  test('without parsing have their text as payload', () => {
    expect(map('1', { data: 'no JSON', opts: '{"preventParsingData":true}' })).toMatchObject({
      job: { payload: '"no JSON"' },
    });
  });

  test('never show their payload in a reason', () => {
    expect(JSON.stringify(map('1', { data: 'secret' }))).toMatch(/not valid JSON/);
    expect(JSON.stringify(map('1', { data: 'secret' }))).not.toContain('secret');
  });
});

describe('recurring jobs', () => {
  const schedule = { key: 'nightly', next: undefined, hash: { pattern: '0 2 * * *', name: 'make', data: '{}' } };
  const mapIn = (name: string) => {
    const queue = { name, base: `bull:${name}:`, isBull4: false, library: 'BullMQ', isPaused: true };
    const counts = { active: 0, stalled: 0, completed: 0, concurrency: undefined };
    return mapSchedule(schedule, { ...queue, ...counts }, new Map(), 1_000);
  };

  test('stay if the name of their queue is not allowed here', () => {
    expect(mapIn('reports')).toMatchObject({ entry: { schedule: { name: 'reports.nightly', queue: 'reports' } } });
    expect(mapIn('{reports}')).toMatchObject({
      refusal: expect.stringContaining("'{reports}' is not a valid queue name"),
    });
    expect(mapIn('q'.repeat(65))).toMatchObject({ refusal: expect.stringContaining('1 to 64') });
    expect(mapIn('tablequeue.events')).toMatchObject({ refusal: expect.stringContaining('reserved') });
  });
});
