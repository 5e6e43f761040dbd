import 'reflect-metadata';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { DashboardApplication, PLATFORMS } from '../support/dashboard.js';
import { useDatabase } from '../support/use-database.js';

const NO_LIMITS = { concurrency: null, rate: null, perTenant: null, ratePerTenant: null, maxLength: null };
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

// On SQLite only: an invalid request does not reach the database.
describe.each(PLATFORMS)('invalid requests on %s', (platform) => {
  let app: DashboardApplication;
  afterAll(() => app.close());
  const database = useDatabase('sqlite');
  beforeAll(async () => {
    app = await DashboardApplication.start(database, { platform });
  });

  test.each([
    ['jobs', 'state'],
    ['jobs?state=lost', 'state'],
    ['jobs?state=ready&limit=0', 'limit'],
    ['jobs?state=ready&limit=many', 'limit'],
    ['jobs?state=ready&form=1', 'form'],
    ['jobs?state=ready&from=yesterday', 'from'],
    ['jobs?state=ready&queue=a&queue=b', 'queue'],
    ['jobs?state=ready&error=', 'error'],
    ['jobs?state=ready&cursor=nowhere', 'cursor'],
    ['jobs/none', 'id'],
    ['jobs/states', 'key'],
    ['jobs/states?key=a&state=ready', 'state'],
    ['jobs/search?payload=true', 'text'],
    ['jobs/search?text=a&state=lost', 'state'],
    ['jobs/search?text=a&cursor=nowhere', 'cursor'],
    ['jobs/search?text=%20', 'text'],
    [`groups/${UNKNOWN}/members`, 'outcome'],
    [`groups/${UNKNOWN}/members?outcome=lost`, 'outcome'],
    [`groups/${UNKNOWN}/members?outcome=failed&state=lost`, 'state'],
    ['series?span=year', 'span'],
    ['audit?limit=1.5', 'limit'],
  ])('GET %s is refused for its %s', async (path, parameter) => {
    expect(await app.get(path)).toMatchObject({ status: 400, body: { type: 'tablequeue:invalid-request', parameter } });
  });

  test.each([
    ['jobs/none', '"id" in the path is not a complete id, such as'],
    ['jobs?state=failed&fingerprint=1', '"fingerprint" in the query is not a complete fingerprint, such as'],
    ['jobs', '"state" in the query is missing.'],
    ['jobs?state=ready&form=1', '"form" in the query is unknown: remove it.'],
    ['jobs?state=lost', '"state" in the query must be one of '],
  ])('GET %s responds: %s', async (path, message) => {
    expect((await app.get(path)).body).toMatchObject({ detail: expect.stringContaining(message) });
  });

  test.each([
    ['POST', 'queues/work/pause', { reason: '' }, 'reason'],
    ['POST', 'queues/work/pause', { reason: 'x'.repeat(501) }, 'reason'],
    ['PUT', 'queues/work/limits', {}, 'concurrency'],
    ['PUT', 'queues/work/limits', { ...NO_LIMITS, concurrency: 0 }, 'concurrency'],
    ['PUT', 'queues/work/limits', { ...NO_LIMITS, concurrency: '3' }, 'concurrency'],
    ['PUT', `jobs/${UNKNOWN}/priority`, { priority: 1_000 }, 'priority'],
    ['POST', 'jobs/failures/0123456789abcdef/mute', {}, 'duration'],
    ['POST', 'jobs/failures/0123456789abcdef/mute', { duration: 'long' }, 'duration'],
    ['POST', 'jobs/failures/gone/mute', { duration: '1h' }, 'fingerprint'],
    ['POST', 'jobs/bulk', { action: 'explode', filter: { state: 'ready' } }, 'action'],
    ['POST', 'jobs/bulk', { action: 'cancel', filter: {} }, 'filter.state'],
    ['POST', 'jobs/bulk', { action: 'cancel', filter: { state: 'ready', que: 'mail' } }, 'filter.que'],
    ['POST', 'jobs/bulk', { action: 'cancel', filter: { ids: ['1'] } }, 'filter.ids.0'],
    ['POST', 'jobs/bulk', { action: 'priority', filter: { state: 'ready' } }, 'priority'],
    ['POST', 'jobs/bulk', { action: 'retry', filter: { state: 'ready' } }, 'state'],
    ['POST', 'jobs/bulk', { action: 'move', filter: { state: 'ready' } }, 'to'],
    ['POST', 'jobs/bulk', { action: 'cancel', filter: { ids: [UNKNOWN] }, cursor: 'nowhere' }, 'cursor'],
    ['POST', 'jobs/preview', { action: 'cancel' }, 'filter'],
  ] as const)('%s %s %j is refused for its %s', async (method, path, body, parameter) => {
    expect(await app.write(method, path, body)).toMatchObject({
      status: 400,
      body: { type: 'tablequeue:invalid-request', parameter },
    });
  });
});
