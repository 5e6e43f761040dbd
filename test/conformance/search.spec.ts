import { afterEach, expect, jest, test } from '@jest/globals';
import {
  EncodedPayloadsError,
  InvalidOptionError,
  type JobSearchOptions,
  type TableQueue,
  UnknownOptionError,
  defineJob,
} from '@tablequeue/typeorm';

import { aes, queueWith } from '../support/codecs.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

type Dialect = TableQueue['engine']['dialect'];
type Fragment = Dialect['now'];

const mail = defineJob<unknown>('mail.send', { queue: 'mail' });
const report = defineJob<unknown>('report', { queue: 'reports' });

afterEach(() => {
  jest.restoreAllMocks();
});

/** What takes a server many seconds to select. On SQLite nothing ends a statement. */
function manyRows({ now, rangesByRowComparison: isSqlite }: Dialect): Fragment {
  const table = 'information_schema.COLLATIONS';
  const sql = isSqlite ? '1' : `COUNT(*) FROM ${['a', 'b', 'c', 'd'].map((name) => `${table} ${name}`).join(', ')}`;
  return Object.assign(Object.create(Object.getPrototypeOf(now) as object) as Fragment, {
    sql,
    parameters: [],
    recurs: false,
  });
}

describeEach('a search in all states', (engine) => {
  const bench = useWorkbench(engine);

  const found = async (text: string, options?: JobSearchOptions) =>
    (await bench.queue.jobs.search(text, options)).jobs.map(({ id, foundIn }) => [foundIn, id]);
  const enqueue = async (payload: unknown, options = {}) => (await bench.queue.enqueue(mail, payload, options)).id;
  const setError = (id: string, error: string) =>
    bench.dataSource.query("UPDATE tq_job SET state = 'failed', last_error = ? WHERE id = ?", [
      error,
      Buffer.from(id.replaceAll('-', ''), 'hex'),
    ]);

  test('finds an id, keys, tenants and names in any state, the latest first, and nothing twice', async () => {
    const keyed = await enqueue(1, { key: 'order:42', tenant: 'acme' });
    const delayed = await enqueue(2, { key: 'order:42', delay: '1h' });
    const unique = await enqueue(3, { unique: { key: 'order:42' }, delay: '1h' });
    const both = await enqueue(4, { unique: { key: 'order:43' }, key: 'order:43' });
    const other = (await bench.queue.enqueue(report, 5, { tenant: 'acme' })).id;
    await bench.queue.cancel(keyed);
    expect(await found('order:42')).toEqual([
      ['uniqueKey', unique],
      ['key', delayed],
      ['key', keyed],
    ]);
    expect(await found('order:43')).toEqual([['uniqueKey', both]]);
    expect((await bench.queue.jobs.search('order:43')).counts).toMatchObject({ ready: 1 });
    // A cancelled job does not hold its unique key any more.
    await bench.queue.cancel(unique);
    expect(await found('order:42')).toEqual([
      ['key', delayed],
      ['key', keyed],
      ['uniqueKey', unique],
    ]);
    expect(await found(both)).toEqual([['id', both]]);
    expect(await found(both.toUpperCase())).toEqual([['id', both]]);
    expect(await found('acme')).toEqual([
      ['tenant', other],
      ['tenant', keyed],
    ]);
    expect(await found('il.se')).toEqual([both, unique, delayed, keyed].map((id) => ['name', id]));
    expect(await found('Mail.send')).toEqual([]);
    const { counts, next, examined, searchedSince, encodedBy } = await bench.queue.jobs.search('il.s');
    expect(counts).toMatchObject({ ready: 1, scheduled: 1, cancelled: 2, failed: 0 });
    expect({ next, examined, searchedSince, encodedBy }).toEqual({
      next: undefined,
      examined: 5,
      searchedSince: undefined,
      encodedBy: [],
    });
  });

  test('finds errors, and payloads if asked, without wildcards', async () => {
    const half = await enqueue({ text: 'discount "100%"', order: 42 });
    const failed = await enqueue({ text: '100x' });
    await setError(failed, 'Error: connect_timeout\n    at Socket');
    expect(await found('connect_timeout\n')).toEqual([['error', failed]]);
    expect(await found('connect%timeout')).toEqual([]);
    expect(await found('discount', {})).toEqual([]);
    expect(await found('discount "100%"', { payload: true })).toEqual([['payload', half]]);
    expect(await found('"order":42', { payload: true })).toEqual([['payload', half]]);
    expect(await found('100_', { payload: true })).toEqual([]);
    expect(await found('ü🎉', { payload: true })).toEqual([]);
  });

  test('shows one state, counts the others, and goes on where the page was full', async () => {
    const jobs = await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 8 }, (_, index) => ({ payload: index, ...(index % 2 === 0 && { delay: '1h' as const }) })),
    );
    const ids = jobs.map(({ id }) => id).toReversed();
    const shown: string[] = [];
    let counted = 0;
    for (let next: string | undefined = ''; next !== undefined;) {
      const page = await bench.queue.jobs.search('mail', { state: 'ready', limit: 2, ...(next && { after: next }) });
      shown.push(...page.jobs.map(({ id }) => id));
      counted += page.counts.scheduled;
      next = page.next;
    }
    expect(shown).toEqual(ids.filter((_id, index) => index % 2 === 0));
    expect(counted).toBe(4);
    const first = await bench.queue.jobs.search('mail', { limit: 3 });
    expect(first.jobs.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const rest = await bench.queue.jobs.search('mail', { limit: 8, after: first.next ?? '' });
    expect(rest.jobs.map(({ id }) => id)).toEqual(ids.slice(3));
  });

  test('the jobs of a key are shown page by page too', async () => {
    const jobs = await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 5 }, () => ({ payload: 1, key: 'k' })),
    );
    const first = await bench.queue.jobs.search('k', { limit: 3 });
    const rest = await bench.queue.jobs.search('k', { after: first.next ?? '' });
    expect([...first.jobs, ...rest.jobs].map(({ id }) => id)).toEqual(jobs.map(({ id }) => id).toReversed());
    expect(rest.next).toBeUndefined();
  });

  test('stops when its time is over, shows how far it has come, and goes on from there', async () => {
    const rare = await enqueue('rare');
    await bench.queue.enqueueMany(
      mail,
      Array.from({ length: 200 }, () => ({ payload: 'x' })),
    );
    const now = performance.now.bind(performance);
    let late = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + late);
    const { engine: own } = bench.queue;
    const execute = own.execute.bind(own);
    own.execute = async (factory, options) => {
      const result = await execute(factory, options);
      // After the look-ups and the first chunk of all jobs, the time is over.
      late += options.purpose === 'search jobs' ? 700 : 0;
      return result;
    };
    const page = await bench.queue.jobs.search('"rare"', { payload: true });
    own.execute = execute;
    expect(page).toMatchObject({ jobs: [], searchedSince: expect.any(Date) });
    expect(page.examined).toBeGreaterThan(0);
    expect(page.examined).toBeLessThan(200);
    jest.restoreAllMocks();
    const rest = await bench.queue.jobs.search('"rare"', { payload: true, after: page.next ?? '' });
    expect(rest.jobs.map(({ id }) => id)).toEqual([rare]);
    expect(page.examined + rest.examined).toBe(201);
  });

  test('the server ends a statement whose time is over', async () => {
    const { engine: own } = bench.queue;
    const slow = own.execute(
      function* (dialect) {
        try {
          yield [dialect.selectWithin(50, manyRows(dialect))];
          return 'no limit';
        } catch (error) {
          return dialect.isTimeout(error);
        }
      },
      { purpose: 'wait', readOnly: true },
    );
    expect(await slow).toBe(engine === 'sqlite' ? 'no limit' : true);
  });

  test('names the codecs whose values it cannot search, and refuses payloads if the queue has one', async () => {
    const id = await enqueue('AAAA');
    await enqueue('AAAA');
    await setError(id, 'codec:zip,AAAA');
    await bench.dataSource.query("UPDATE tq_job SET payload = 'codec:aes_1,AAAA' WHERE state = 'failed'");
    expect(await bench.queue.jobs.search('AAAA')).toMatchObject({ jobs: [], encodedBy: ['zip'] });
    const page = await bench.queue.jobs.search('AAAA', { payload: true });
    expect(page.jobs).toHaveLength(1);
    expect(page.encodedBy).toEqual(['zip']);
    await setError(id, 'Error: x');
    expect(await bench.queue.jobs.search('AAAA', { payload: true })).toMatchObject({ encodedBy: ['aes_1'] });
    const { jobs } = queueWith(bench, aes('aes-2026'));
    const refused = await jobs.search('AAAA', { payload: true }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EncodedPayloadsError);
    expect(refused).toMatchObject({ codec: 'aes-2026', message: expect.stringContaining('"aes-2026"') });
    expect((await jobs.search('mail')).jobs).toHaveLength(2);
  });

  test.each<[string, string, JobSearchOptions]>([
    ['an empty text', '', {}],
    ['blanks', ' \n', {}],
    ['a long text', 'x'.repeat(10_000), {}],
    ['NUL', 'a\0b', {}],
    ['a lone surrogate', 'a\ud800', {}],
    ['no text', 7 as never, {}],
    ['a wrong state', 'x', { state: 'done' as never }],
    ['a wrong payload', 'x', { payload: 'yes' as never }],
    ['a wrong limit', 'x', { limit: 0 }],
    ['a wrong cursor', 'x', { after: 'all.x' }],
  ])('refuses %s', async (_what, text, options) => {
    const refused = await bench.queue.jobs.search(text, options).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionError);
    expect((refused as Error).message.length).toBeLessThan(400);
  });

  test('refuses an unknown option', async () => {
    await expect(bench.queue.jobs.search('x', { queue: 'mail' } as never)).rejects.toThrow(UnknownOptionError);
  });
});
