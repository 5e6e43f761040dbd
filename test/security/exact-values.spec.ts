import { describe, expect, test } from '@jest/globals';
import {
  InvalidNameError,
  PayloadTooLargeError,
  TableQueue,
  UnserializablePayloadError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const anything = defineJob<unknown>('anything', { retry: { attempts: 1 } });

/** Texts that servers, collations or drivers like to change, or to take for one another. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['lower case', 'a'],
  ['upper case', 'A'],
  ['an accent', 'á'],
  ['an accent of two characters', 'a\u0301'],
  ['the German sharp s', 'straße'],
  ['what folds to it', 'strasse'],
  ['a Turkish i', 'ı'],
  ['full width', 'ａ'],
  ['a space in front', ' a'],
  ['a no-break space at the end', 'a\u00a0'],
  ['a tab at the end', 'a\t'],
  ['a line break at the end', 'a\n'],
  ['a zero-width joiner', 'a\u200d'],
  ['a right-to-left mark', '\u202ea\u202c'],
  ['a byte order mark', '\ufeffa'],
  ['what is no character', 'a\uffff'],
  ['a replacement character', 'a\ufffd'],
  ['4 bytes', '🦊'],
  ['another of 4 bytes', '🦝'],
  ['the last code point', '\u{10ffff}'],
  ['a family', '👨‍👩‍👧‍👦'],
  ['quotes', `'"\`´’`],
  ['a backslash at the end', 'a\\'],
  ['two of them', 'a\\\\'],
  ['a percent sign', '%'],
  ['an underscore', '_'],
  ['a control character', '\u0001\u001a\u007f'],
  ['a number', '1'],
  ['the same number', '01'],
  ['a number with an exponent', '1e0'],
  ['null', 'null'],
  ['a property of every object', '__proto__'],
  ['another', 'constructor'],
  ['191 characters', 'k'.repeat(191)],
  ['191 code units of 4-byte characters', `${'🦊'.repeat(95)}k`],
];
const VALUES = TEXTS.map(([, text]) => text);

/** What no such text may be. */
const REFUSED: readonly (readonly [string, unknown])[] = [
  ['nothing', ''],
  ['192 characters', 'k'.repeat(192)],
  ['a space at the end', 'a '],
  ['a NUL', 'a\0'],
  ['the first half of a surrogate pair', 'a\ud83e'],
  ['the second half', '\udd8aa'],
  ['a number', 1],
  ['null', null],
  ['a String object', Object('a')],
  ['a list', ['a']],
];

describeOnOlderToo('texts are exact', (engine) => {
  const bench = useWorkbench(engine);

  test('keys find only the jobs with exactly this key', async () => {
    await bench.queue.enqueueMany(
      anything,
      VALUES.map((key) => ({ payload: key, key })),
    );
    for (const key of VALUES) {
      expect((await bench.queue.findByKey(key)).map((job) => [job.key, job.payload])).toEqual([[key, key]]);
    }
    for (const key of VALUES) {
      expect(await bench.queue.cancelByKey(key)).toEqual({ cancelled: 1, requested: 0 });
    }
    expect((await bench.history()).map(({ key }) => key ?? '').sort()).toEqual([...VALUES].sort());
  });

  test('unique keys clash with themselves, and with no other', async () => {
    const first = new Map<string, string>();
    for (const key of VALUES) {
      const { id, created } = await bench.queue.enqueue(anything, key, { unique: { key } });
      expect([key, created]).toEqual([key, true]);
      first.set(key, id);
    }
    const again = await bench.queue.enqueueMany(
      anything,
      VALUES.map((key) => ({ payload: 0, unique: { key } })),
    );
    expect(again.map(({ id, created }) => [id, created])).toEqual(VALUES.map((key) => [first.get(key), false]));
  });

  test('each text is a separate tenant: a limit of one lets one job of each run', async () => {
    await bench.queue.control.limit('default', { concurrencyPerTenant: 1 });
    const jobs = VALUES.flatMap((tenant) => [1, 2].map(() => ({ payload: tenant, tenant })));
    await bench.queue.enqueueMany(anything, jobs);
    const running: string[] = [];
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = jobHandler(anything, (tenant) => {
      running.push(tenant as string);
      return released;
    });
    await bench.work([handler], { concurrency: 100 });
    await waitFor('one of each runs', () => running.length >= VALUES.length);
    expect([...running].sort()).toEqual([...VALUES].sort());
    expect((await bench.liveJobs()).filter(({ state }) => state === 'running')).toHaveLength(VALUES.length);
    release?.();
    await waitFor('all have run', () => running.length === jobs.length);
  });

  test('locks of different names are different locks', async () => {
    const locks = VALUES.map((name) => bench.queue.lock(name));
    for (const lock of locks) {
      expect(await lock.tryLock()).toBe(true);
    }
    for (const name of VALUES) {
      expect(await bench.queue.lock(name).tryLock()).toBe(false);
    }
    for (const lock of locks) {
      expect(await lock.release()).toBe(true);
    }
  });

  test('queues, jobs and schedules whose names differ in case', async () => {
    for (const name of ['Mail', 'mail', 'MAIL', 'mail.', 'mail-']) {
      await bench.queue.enqueue(defineJob(name, { queue: name }));
      await bench.queue.recurring.set(name, defineJob(name), undefined, { every: '1h' });
      await bench.queue.control.limit(name, { concurrency: name.length });
    }
    expect((await bench.queue.counts()).map(({ queue, ready }) => `${queue} ${ready.count}`).sort()).toEqual(
      ['MAIL', 'Mail', 'mail', 'mail-', 'mail.'].map((queue) => `${queue} 1`),
    );
    expect((await bench.queue.recurring.list()).map(({ name }) => name).sort()).toEqual([
      'MAIL',
      'Mail',
      'mail',
      'mail-',
      'mail.',
    ]);
    await bench.queue.control.pause('Mail');
    const paused = (await bench.queue.control.list()).filter(({ pausedAt }) => pausedAt);
    expect(paused.map(({ queue }) => queue)).toEqual(['Mail']);
    expect(await bench.queue.cancelMany({ queue: 'MAIL' })).toEqual({ cancelled: 1, requested: 0 });
  });

  describe('inexact texts are rejected', () => {
    test.each(REFUSED)('%s', async (_what, text) => {
      const value = text as string;
      await expect(bench.queue.enqueue(anything, 1, { tenant: value })).rejects.toThrow(InvalidNameError);
      await expect(bench.queue.enqueueMany(anything, [{ payload: 1, key: value }])).rejects.toThrow(InvalidNameError);
      await expect(bench.queue.findByKey(value)).rejects.toThrow(InvalidNameError);
      await expect(bench.queue.cancelByKey(value)).rejects.toThrow(InvalidNameError);
      await expect((async () => bench.queue.lock(value))()).rejects.toThrow(InvalidNameError);
      await expect(
        bench.queue.recurring.set('s', anything, 1, { every: '1h', tenant: value, key: value }),
      ).rejects.toThrow(InvalidNameError);
      const member = { definition: anything, payload: 1, key: value };
      await expect(
        bench.queue.groups.enqueue({ jobs: [member], onComplete: { definition: anything, payload: 1 } }),
      ).rejects.toThrow(InvalidNameError);
      const made = defineJob<unknown>('made', { unique: { key: () => value } });
      await expect(bench.queue.enqueue(made, 1)).rejects.toThrow(InvalidNameError);
      const owned = defineJob<unknown>('owned', { tenant: () => value });
      await expect(bench.queue.enqueue(owned, 1)).rejects.toThrow(InvalidNameError);
      expect(await bench.liveJobs()).toEqual([]);
    });
  });
});

/** A value inside so many lists. */
function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < depth; level++) {
    value = [value];
  }
  return value;
}

/** How many lists are inside one another, without recursion, which so many would be too much for. */
function depthOf(value: unknown): number {
  let depth = 0;
  for (let inner = value; Array.isArray(inner); inner = inner[0] as unknown) {
    depth++;
  }
  return depth;
}

/** JSON text with properties that objects have anyway. */
const POLLUTION = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"text"}';

describeOnOlderToo('payloads are exact', (engine) => {
  const bench = useWorkbench(engine);

  test.each([
    ['no text at all', ''],
    ['an empty object', {}],
    ['an empty list', []],
    ['null', null],
    ['false', false],
    ['zero', 0],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER],
    ['a number past 2^53', 2 ** 53 + 2],
    ['the largest number', Number.MAX_VALUE],
    ['the smallest number', Number.MIN_VALUE],
    ['many digits', 0.1 + 0.2],
    ['all texts', VALUES],
    ['texts as names', Object.fromEntries(VALUES.map((text) => [`_${text}`, text]))],
    ['a NUL', 'a\0b'],
    ['lone surrogates', ['\ud800', '\udfff', 'a\ud800b']],
    ['spaces at the end', 'a  '],
    ['text that looks like JSON', '{"a":1}'],
    ['names that objects have', JSON.parse(POLLUTION)],
    ['nesting of 100', nested(100)],
    ['nesting of 2,000', nested(2000)],
  ])('%s', async (_what, payload) => {
    let handled: unknown;
    const handler = jobHandler(anything, (given, job) => {
      handled = given;
      job.progress(given);
      return given;
    });
    const { id } = await bench.queue.enqueue(anything, payload);
    const stored = (await bench.queue.find(id))?.payload;
    expect(JSON.stringify(stored)).toBe(JSON.stringify(payload));
    await bench.work([handler]);
    const result = await bench.queue.waitFor(id);
    for (const value of [handled, result, (await bench.queue.find(id))?.progress]) {
      expect(JSON.stringify(value)).toBe(JSON.stringify(payload));
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ['nesting of 100,000', () => nested(100_000), /nested too deeply/],
    ['a getter that throws', () => Object.defineProperty({}, 'a', { enumerable: true, get: () => fail() }), /no value/],
    ['toJSON that throws', () => ({ toJSON: fail }), /no value/],
    ['a proxy that throws', () => new Proxy({}, { ownKeys: fail }), /no value/],
    ['toJSON that returns a function', () => ({ a: { toJSON: () => fail } }), /"a" is a function/],
    ['toJSON that returns nothing', () => ({ toJSON: () => undefined }), /toJSON returns nothing/],
    ['a boxed number without a value', () => ({ a: Object(Number.NaN) }), /"a" is NaN/],
    ['a boxed symbol', () => ({ a: Object(Symbol('x')) }), /"a" is a Symbol/],
    ['what throws something without a text', () => ({ toJSON: () => raise(Object.create(null)) }), /reading it fails/],
  ])('refuses %s', async (_what, make, reason) => {
    const refused = bench.queue.enqueue(anything, make());
    await expect(refused).rejects.toThrow(UnserializablePayloadError);
    await expect(refused).rejects.toThrow(reason);
    expect(await bench.liveJobs()).toEqual([]);
  });

  test('nesting of 10,000: exact, or refused', async () => {
    const made = await bench.queue.enqueue(anything, nested(10_000)).catch((error: unknown) => error);
    if (made instanceof UnserializablePayloadError) {
      expect(String(made)).toMatch(/nested too deeply/);
      expect(await bench.liveJobs()).toEqual([]);
    } else {
      const { id } = made as { readonly id: string };
      expect(depthOf((await bench.queue.find(id))?.payload)).toBe(10_000);
    }
  });

  test('16 MiB, or as much as the server accepts in a statement', async () => {
    let bytes = 16 * 2 ** 20;
    if (engine !== 'sqlite') {
      const [row] = (await bench.dataSource.query('SELECT @@max_allowed_packet AS most')) as { most: string }[];
      bytes = Math.min(bytes, Number(row!.most) - 10_000);
    }
    const queue = new TableQueue(bench.dataSource, { maxPayloadBytes: bytes });
    const payload = 'ü'.repeat(bytes / 2 - 1);
    const { id } = await queue.enqueue(anything, payload);
    // Not by `toBe`, which would print both.
    expect((await queue.find(id))?.payload === payload).toBe(true);
  });

  test('a unique key derived from a payload is stable for nested values, or rejected', async () => {
    const unique = { while: 'unfinished' } as const;
    const { id } = await bench.queue.enqueue(anything, nested(2000), { unique });
    expect(await bench.queue.enqueue(anything, nested(2000), { unique })).toMatchObject({ id, created: false });
    // Where JSON can just still be made of it, the key may be too much; an error of ours in any case.
    for (let depth = 3000; depth < 20_000; depth += 1000) {
      const made = await bench.queue.enqueue(anything, nested(depth), { unique }).catch((error: unknown) => error);
      expect(made instanceof UnserializablePayloadError || (made as { created?: unknown }).created === true).toBe(true);
    }
  });

  test('options with a __proto__ key are rejected', async () => {
    const options = JSON.parse('{"__proto__":{"priority":"5"},"delay":0}') as object;
    await expect(bench.queue.enqueue(anything, 1, options)).rejects.toThrow(/no option "__proto__"/);
    await expect((async () => defineJob('a', JSON.parse('{"__proto__":{"queue":"b"}}') as object))()).rejects.toThrow(
      /no option "__proto__"/,
    );
    expect(({} as { priority?: unknown }).priority).toBeUndefined();
  });

  test('exactly the limit, and one byte more', async () => {
    const queue = new TableQueue(bench.dataSource, { maxPayloadBytes: 1000 });
    for (const fill of ['a', 'ü', '🦊', '"', '\n']) {
      const bytes = Buffer.byteLength(JSON.stringify(fill)) - 2;
      const most = fill.repeat(Math.floor(998 / bytes)) + 'a'.repeat(998 % bytes);
      const { id } = await queue.enqueue(anything, most);
      expect((await queue.find(id))?.payload).toBe(most);
      await expect(queue.enqueue(anything, `${most}a`)).rejects.toThrow(PayloadTooLargeError);
    }
    expect(await bench.liveJobs()).toHaveLength(5);
  });
});

function fail(): never {
  return raise(new Error('there is no value here'));
}

function raise(thrown: unknown): never {
  throw thrown;
}
