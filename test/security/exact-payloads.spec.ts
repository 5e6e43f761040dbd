import { expect, test } from '@jest/globals';
import {
  PayloadTooLargeError,
  TableQueue,
  UnserializablePayloadError,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { describeOnOlderToo } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { ODD_TEXTS } from './odd-texts.js';

const anything = defineJob<unknown>('anything', { retry: { attempts: 1 } });

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
    ['all texts', ODD_TEXTS],
    ['texts as names', Object.fromEntries(ODD_TEXTS.map((text) => [`_${text}`, text]))],
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
