import { expect, test } from '@jest/globals';
import { InvalidOptionError, type JobLog, TableQueue, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';

import { aes } from '../support/codecs.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const job = defineJob('job');
const again = defineJob('again', { retry: { attempts: 30, backoff: fixed(0) } });

describeEach('odd lines in the logs of jobs', (engine) => {
  const bench = useWorkbench(engine);

  /** The lines of a job that logs, run by the testing kit. */
  async function logged(write: (log: JobLog) => void, queue = bench.queue) {
    const testing = new TestingQueue(queue, [jobHandler(job, (_payload, { log }) => write(log))]);
    const { id } = await queue.enqueue(job);
    await testing.drain();
    return queue.jobs.logs(id, { limit: 10_000 });
  }

  test('fields that JSON does not have are stored as text', async () => {
    const cycle: Record<string, unknown> = { name: 'a' };
    cycle.self = cycle;
    const unreadable = Proxy.revocable({}, {});
    unreadable.revoke();
    const throwing = {
      get secret(): string {
        throw new Error('no');
      },
    };
    const [line, ...others] = await logged((log) => {
      log.info('fields', {
        cycle,
        big: 10n,
        error: new Error('outer', { cause: new Error('inner') }),
        nothing: undefined,
        map: new Map([[1, 2]]),
        call: () => 1,
        number: NaN,
        date: new Date(0),
        deep: { big: 1n, error: new TypeError('deep') },
        proxy: unreadable.proxy,
      });
      log.warn('getter', throwing);
      log.error('list', [1, 2] as never);
      log.error(new Error('as the message') as never);
      log.debug(7 as never, 'text' as never);
    });
    expect(line!.fields).toEqual({
      cycle: expect.stringContaining('[Circular *1]'),
      big: '10',
      error: expect.stringMatching(/^Error: outer\n +at [^]*caused by: Error: inner/),
      map: 'Map(1) { 1 => 2 }',
      call: expect.stringContaining('Function'),
      number: 'NaN',
      date: '1970-01-01T00:00:00.000Z',
      deep: { big: '1', error: expect.stringContaining('TypeError: deep') },
      proxy: expect.any(String),
    });
    expect(others.map(({ message, fields }) => [message.split('\n')[0], fields])).toEqual([
      ['getter', { value: 'a value that cannot be read' }],
      ['list', { value: [1, 2] }],
      ['Error: as the message', undefined],
      ['7', { value: 'text' }],
    ]);
  });

  test('long lines are cut, and odd characters kept', async () => {
    const odd = `a\0b\u0007\u202e\u{1f600}\ud800 ' " \\ \n end`;
    const lines = await logged((log) => {
      log.info('x'.repeat(1024 * 1024), { long: 'y'.repeat(50_000) });
      log.info(odd, { odd });
      log.info('codec:none,looks encoded');
    });
    expect(lines[0]!.message).toHaveLength(16_384 + '\n… 1032192 more characters'.length);
    expect(lines[0]!.fields).toEqual({ cut: expect.stringMatching(/^\{"long":"yyy[^]* more characters$/) });
    expect(lines[1]).toMatchObject({ message: odd.replace('\0', '\\0').toWellFormed(), fields: { odd } });
    expect(lines[2]!.message).toContain('codec:none,looks encoded');
  });

  test('of a million lines the first are stored, and memory stays bounded', async () => {
    const lines = await logged((log) => {
      global.gc?.();
      const before = process.memoryUsage().heapUsed;
      for (let line = 1; line <= 1_000_000; line++) {
        log.info('a line', { line });
      }
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
    });
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toMatchObject({ dropped: 999_000 });
  });

  test('the logs of the last 20 attempts are kept', async () => {
    const testing = new TestingQueue(bench.queue, [
      jobHandler(again, (_payload, { attempt, log }) => {
        log.info('tried');
        if (attempt < 23) {
          throw new Error('again');
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(again);
    await testing.drain({ failures: 'return' });
    const attempts = (await bench.queue.jobs.logs(id)).map(({ attempt }) => attempt);
    expect(attempts).toEqual(Array.from({ length: 20 }, (_each, index) => index + 4));
  });

  test('a codec encodes them, and redact comes before it', async () => {
    const redact = (text: string) => text.replaceAll('4111', '[card]');
    const write = (log: JobLog) => log.info('paid by 4111', { card: '4111', name: 'Ada' });
    const plain = new TableQueue(bench.dataSource, { redact, clock: bench.clock });
    expect(await logged(write, plain)).toMatchObject([
      { message: 'paid by [card]', fields: { card: '[card]', name: 'Ada' } },
    ]);
    const secret = new TableQueue(bench.dataSource, { redact, codec: aes('k1'), clock: bench.clock });
    const lines = await logged(write, secret);
    expect(lines).toMatchObject([{ message: 'paid by [card]', fields: { card: '[card]', name: 'Ada' } }]);
    const rows = JSON.stringify(await bench.dataSource.query("SELECT * FROM tq_log WHERE message LIKE 'codec:%'"));
    expect(rows).toContain('codec:k1,');
    expect(rows).not.toMatch(/paid|Ada/);
    const [{ id } = { id: '' }] = (await bench.queue.jobs.list({ state: 'succeeded' })).jobs;
    expect((await bench.queue.jobs.logs(id))[0]).toMatchObject({
      message: 'cannot be decoded: codec k1 is not known here',
      fields: undefined,
    });
  });

  test('a job that logs nothing costs no statement', async () => {
    const purposes = async (write: (log: JobLog) => void) => {
      const seen: string[] = [];
      const { engine: own } = bench.queue;
      const original = own.execute.bind(own);
      own.execute = (factory, options) => {
        seen.push(options.purpose);
        return original(factory, options);
      };
      await logged(write);
      own.execute = original;
      return seen.filter((purpose) => purpose.includes('log'));
    };
    expect(await purposes(() => undefined)).toEqual(['read a log']);
    expect(await purposes((log) => log.info('one'))).toEqual(['store log lines', 'read a log']);
  });

  test('wrong arguments of logs() are refused', async () => {
    await expect(bench.queue.jobs.logs('x')).rejects.toBeInstanceOf(InvalidOptionError);
    const { id } = await bench.queue.enqueue(job);
    await expect(bench.queue.jobs.logs(id, { limit: 0 })).rejects.toThrow(/limit/);
    await expect(bench.queue.jobs.logs(id, { after: { attempt: -1, seq: 0 } })).rejects.toThrow(/after.attempt/);
  });
});
