import { describe, expect, test } from '@jest/globals';
import {
  type Codec,
  DuplicateJobError,
  EncodeFailedError,
  InvalidOptionError,
  InvalidPayloadError,
  PayloadTooLargeError,
  TableQueueJob,
  UndecodedValue,
  batchHandler,
  defineJob,
  defineSignal,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';
import { TableQueueUnique } from '@tablequeue/typeorm/internal';
import { z } from 'zod';

import { aes, made, queueWith, slow } from '../support/codecs.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const mail = defineJob<{ to: string }>('mail', { retry: { attempts: 3, backoff: fixed('1h') } });
const ADA = { to: 'ada@example.org' };

describe('the option codec', () => {
  const decode = (text: string) => text;

  test.each<[string, unknown, string, RegExp]>([
    ['no object', 'aes', 'codec', /an object with id, encode and decode/],
    ['null', null, 'codec', /an object/],
    ['no id', { decode }, 'codec.id', /1 to 64 of the characters/],
    ['an empty id', { id: '', decode }, 'codec.id', /1 to 64/],
    ['an id with a comma', { id: 'a,b', decode }, 'codec.id', /1 to 64/],
    ['an id with a space', { id: 'a b', decode }, 'codec.id', /1 to 64/],
    ['an id with a line break at its end', { id: 'a\n', decode }, 'codec.id', /1 to 64/],
    ['a number as id', { id: 1, decode }, 'codec.id', /1 to 64/],
    ['a long id', { id: 'a'.repeat(65), decode }, 'codec.id', /1 to 64/],
    ['no decode', { id: 'a' }, 'codec.decode', /a function/],
    ['an encode that is no function', { id: 'a', encode: true, decode }, 'codec.encode', /left out to decode only/],
    ['a second codec that is none', [{ id: 'a', decode }, undefined], 'codec[1]', /an object/],
    [
      'an id twice',
      [
        { id: 'a', decode },
        { id: 'b', decode },
        { id: 'a', decode },
      ],
      'codec[2].id',
      /no other codec/,
    ],
  ])('is refused with %s', (_what, codec, option, accepted) => {
    for (const define of [
      () => defineJob('job', { codec: codec as Codec }),
      () => defineSignal('signal', { codec: codec as Codec }),
    ]) {
      expect(define).toThrow(InvalidOptionError);
      expect(define).toThrow(accepted);
      expect(define).toThrow(expect.objectContaining({ option }));
    }
  });

  test('may be one, several or none', () => {
    const one = aes('a');
    expect(defineJob('job', { codec: one }).codec).toEqual([one]);
    expect(defineJob('job', { codec: [one, aes('b')] }).codec).toHaveLength(2);
    expect(defineJob('job', { codec: [] }).codec).toEqual([]);
    expect(defineJob('job').codec).toBeUndefined();
  });
});

describeEach('codecs', (engine) => {
  const bench = useWorkbench(engine);

  const stored = async (id: string) => (await bench.rows(TableQueueJob)).find((row) => row.id === id)!;

  test('values without a codec are JSON as before; with one they name the codec', async () => {
    const plain = queueWith(bench, undefined);
    const secret = queueWith(bench, aes('key-1'));
    const { id: first } = await plain.enqueue(mail, ADA);
    const { id: second } = await secret.enqueue(mail, ADA);
    expect((await stored(first)).payload).toBe('{"to":"ada@example.org"}');
    expect((await stored(second)).payload).toMatch(/^codec:key-1,[A-Za-z0-9+/=]+$/);
    await bench.work([jobHandler(mail, (payload) => payload)], {}, secret);
    for (const id of [first, second]) {
      await bench.untilJobIs(id, 'succeeded');
      expect(await secret.find(id)).toMatchObject({ payload: ADA, result: ADA });
      expect((await stored(id)).result).toMatch(/^codec:key-1,/);
    }
  });

  test('each value is encoded for itself, and one that its codec leaves alone stays JSON', async () => {
    const queue = queueWith(bench, {
      ...aes('key-1'),
      encode: (text, kind) => (text.length < 30 ? undefined : aes('key-1').encode!(text, kind)),
    });
    const long = { to: 'a'.repeat(30) };
    const ids = (
      await queue.enqueueMany(
        mail,
        [ADA, long, long].map((payload) => ({ payload })),
      )
    ).map(({ id }) => id);
    const texts = await Promise.all(ids.map(async (id) => (await stored(id)).payload!));
    expect(texts[0]).toBe(JSON.stringify(ADA));
    expect(texts[1]).toMatch(/^codec:key-1,/);
    expect(texts[1]).not.toBe(texts[2]);
    const found = await Promise.all(ids.map((id) => queue.find(id)));
    expect(found.map((job) => job!.payload)).toEqual([ADA, long, long]);
  });

  test('a payload that reads like an encoded one is none, and so is such an error', async () => {
    const text = defineJob<string>('text', { retry: { attempts: 1 } });
    const queue = queueWith(bench, undefined);
    const { id } = await queue.enqueue(text, 'codec:key-1,abc');
    const odd = Object.assign(new Error('it failed'), { name: 'codec:key-1,abc', stack: 'codec:key-1,abc: it failed' });
    await bench.work([
      jobHandler(text, (payload) => {
        expect(payload).toBe('codec:key-1,abc');
        throw odd;
      }),
    ]);
    const job = await bench.untilJobIs(id, 'failed');
    expect(job.payload).toBe('codec:key-1,abc');
    expect(job.error).toBe(' codec:key-1,abc: it failed');
    expect((await queue.jobs.list({ state: 'failed' })).jobs[0]?.error).toContain('codec:key-1,abc: it failed');
  });

  test.each(['handler', 'transactional', 'batch'])('a %s gets the decoded payload of a slow codec', async (kind) => {
    const seen: unknown[] = [];
    const queue = queueWith(bench, slow(aes('key-1')));
    const handlers = {
      handler: jobHandler(mail, (payload) => (seen.push(payload), payload)),
      transactional: transactionalHandler(mail, (payload) => (seen.push(payload), payload)),
      batch: batchHandler(mail, (jobs) =>
        jobs.forEach((job) => {
          seen.push(job.payload);
          job.succeed(job.payload);
        }),
      ),
    };
    const jobs = await queue.enqueueMany(mail, [{ payload: ADA }, { payload: { to: 'bob@example.org' } }]);
    await bench.work([handlers[kind as keyof typeof handlers]], {}, queue);
    for (const { id } of jobs) {
      await bench.untilJobIs(id, 'succeeded');
      const job = await queue.find(id);
      expect(job!.result).toEqual(job!.payload);
      expect((await stored(id)).result).toMatch(/^codec:key-1,/);
      expect(await queue.waitFor(id)).toEqual(job!.payload);
    }
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(ADA);
  });

  test('the codec of a definition comes before that of the queue, and [] means none', async () => {
    const own = defineJob<string>('own', { codec: aes('own') });
    const none = defineJob<string>('none', { codec: [] });
    const queue = queueWith(bench, aes('shared'));
    const { id: first } = await queue.enqueue(own, 'text');
    const { id: second } = await queue.enqueue(none, 'text');
    const { id: third } = await queue.enqueue(mail, ADA);
    expect((await stored(first)).payload).toMatch(/^codec:own,/);
    expect((await stored(second)).payload).toBe('"text"');
    expect((await stored(third)).payload).toMatch(/^codec:shared,/);
    // Another queue of this process knows the codecs of definitions.
    expect(await bench.queue.find(first)).toMatchObject({ payload: 'text' });
    expect((await bench.queue.find(third))!.payload).toBeInstanceOf(UndecodedValue);
  });

  test('unique, order and tenant functions get the payload as it was given', async () => {
    const seen: unknown[] = [];
    const see = (payload: { to: string }) => (seen.push(payload), payload.to);
    const definition = defineJob<{ to: string }>('seen', {
      unique: { key: see },
      order: { by: see },
      tenant: see,
      codec: slow(aes('seen')),
    });
    const { id } = await bench.queue.enqueue(definition, ADA);
    expect(seen).toEqual([ADA, ADA, ADA]);
    expect(await stored(id)).toMatchObject({ uniqueKey: ADA.to, orderKey: ADA.to, tenant: ADA.to });
  });

  test('equal payloads are duplicates although their texts differ, and a replaced payload is encoded', async () => {
    const unique = defineJob<{ to: string; cc?: string }>('unique', {
      unique: { while: 'queued', onConflict: 'replace' },
      codec: aes('unique'),
    });
    const first = await bench.queue.enqueue(unique, { to: 'a', cc: 'b' }, { unique: {} });
    const second = await bench.queue.enqueue(unique, { cc: 'b', to: 'a' }, { unique: {} });
    expect(second).toMatchObject({ id: first.id, created: false });
    await expect(
      bench.queue.enqueue(unique, { to: 'a', cc: 'b' }, { unique: { onConflict: 'throw' } }),
    ).rejects.toThrow(DuplicateJobError);
    expect(await bench.rows(TableQueueUnique)).toHaveLength(1);

    const key = { unique: { key: 'one', while: 'queued', onConflict: 'replace' } } as const;
    const third = await bench.queue.enqueue(unique, { to: 'old' }, key);
    expect(await bench.queue.enqueue(unique, { to: 'new' }, key)).toMatchObject({ id: third.id, replaced: true });
    expect((await stored(third.id)).payload).toMatch(/^codec:unique,/);
    expect((await bench.queue.find(third.id))!.payload).toEqual({ to: 'new' });
  });

  test('a schema and upcasters see the decoded payload', async () => {
    const codec = slow(aes('versions'));
    const schema = z.object({ cents: z.number() });
    const upcasters = { 1: (old: { euros: number }) => ({ cents: old.euros * 100 }) };
    const before = defineJob<{ euros: number }>('pay', { codec });
    const after = defineJob('pay', { version: 2, schema, upcasters, codec });
    await expect(bench.queue.enqueue(after, { cents: '1' } as never)).rejects.toThrow(InvalidPayloadError);
    const { id } = await bench.queue.enqueue(before, { euros: 3 });
    await bench.work([jobHandler(after, (payload) => payload)]);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ payload: { euros: 3 }, result: { cents: 300 } });
  });

  test.each<[string, Codec['encode'], RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no key');
      },
      /could not encode the payload of job "mail": no key/,
    ],
    ['rejects', () => Promise.reject(new Error('no key')), /no key/],
    ['returns a number', () => 7 as never, /it returned number instead of a string/],
    ['returns a Buffer', () => Buffer.from('x') as never, /it returned object instead of a string/],
    ['returns null', () => null as never, /it returned object/],
    ['returns NUL', () => 'a\0b', /a string with NUL or a lone surrogate/],
    ['returns a lone surrogate', () => '\ud800', /a string with NUL or a lone surrogate/],
  ])('an enqueue is refused if encode %s', async (_what, encode, message) => {
    const queue = queueWith(bench, made('bad', { encode: encode! }));
    for (const refused of [queue.enqueue(mail, ADA), queue.enqueueMany(mail, [{ payload: ADA }, { payload: ADA }])]) {
      await expect(refused).rejects.toThrow(EncodeFailedError);
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toMatchObject({ codec: 'bad', value: 'payload of job "mail"' });
    }
    expect(await bench.rows(TableQueueJob)).toEqual([]);
  });

  test('nothing is encoded if one payload of a list is refused', async () => {
    const encoded: string[] = [];
    const queue = queueWith(bench, made('seen', { encode: (text) => (encoded.push(text), text) }));
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const refused = queue.enqueueMany(mail, [{ payload: ADA }, { payload: circular as never }]);
    await expect(refused).rejects.toThrow(/cannot be stored as JSON/);
    expect(encoded).toEqual([]);
  });

  test('texts of every kind come back unchanged, also an empty one', async () => {
    const texts = ['', 'codec:x,y', '🎉 Größe', '\u0000\u001f', '"quotes" \\ and \' , ; --', 'x'.repeat(100_000)];
    const queue = queueWith(bench, made('as-is', {}));
    const text = defineJob<string>('text');
    for (const payload of texts) {
      const { id } = await queue.enqueue(text, payload);
      expect((await queue.find(id))!.payload).toBe(payload);
    }
    const empty = queueWith(bench, made('empty', { encode: () => '', decode: () => '"from nothing"' }));
    const { id } = await empty.enqueue(text, 'anything');
    expect((await stored(id)).payload).toBe('codec:empty,');
    expect((await empty.find(id))!.payload).toBe('from nothing');
  });

  test('maxPayloadBytes is the size as it is stored', async () => {
    const text = defineJob<string>('text');
    const small = queueWith(bench, made('small', { encode: () => 'x' }), { maxPayloadBytes: 50 });
    const { id } = await small.enqueue(text, 'y'.repeat(1_000));
    expect((await stored(id)).payload).toBe('codec:small,x');
    const large = queueWith(bench, made('large', { encode: (json) => json.repeat(20) }), { maxPayloadBytes: 50 });
    const refused = large.enqueue(text, 'abc');
    await expect(refused).rejects.toThrow(PayloadTooLargeError);
    await expect(refused).rejects.toThrow('is 112 bytes, encoded by codec "large", the limit is 50');
  });

  test('an enqueue in a transaction ends with it, however long the codec takes', async () => {
    const queue = queueWith(bench, slow(aes('key-1'), 20));
    const [kept] = await bench.dataSource.transaction((manager) =>
      queue.enqueueMany(mail, [{ payload: ADA }], { manager }),
    );
    const undone = bench.dataSource.transaction(async (manager) => {
      await queue.enqueue(mail, ADA, { manager });
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect((await bench.rows(TableQueueJob)).map(({ id }) => id)).toEqual([kept!.id]);
  });

  test('a job without a payload and a result has nothing to encode', async () => {
    const nothing = defineJob('nothing');
    const queue = queueWith(
      bench,
      made('never', {
        encode: () => {
          throw new Error('called');
        },
      }),
    );
    const { id } = await queue.enqueue(nothing);
    await bench.work([jobHandler(nothing, () => undefined)], {}, queue);
    await bench.untilJobIs(id, 'succeeded');
    expect(await stored(id)).toMatchObject({ payload: null, result: null });
  });

  test('a group and its callback are encoded, and the callback knows its jobs', async () => {
    const done = defineJob<{ jobs: string[] }>('done');
    const queue = queueWith(bench, aes('key-1'));
    const { id } = await queue.groups.enqueue({
      jobs: [
        { definition: mail, payload: ADA },
        { definition: mail, payload: ADA },
      ],
      onSuccess: { definition: done, payload: ({ jobs }: { jobs: readonly string[] }) => ({ jobs: [...jobs] }) },
    });
    expect(id).toEqual(expect.any(String));
    const rows = await bench.rows(TableQueueJob);
    expect(rows.map(({ payload }) => payload!.slice(0, 12))).toEqual(['codec:key-1,', 'codec:key-1,', 'codec:key-1,']);
    let seen: unknown;
    await bench.work([jobHandler(mail, () => 1), jobHandler(done, (payload) => void (seen = payload))], {}, queue);
    await bench.untilJobIs(rows.find(({ name }) => name === 'done')!.id, 'succeeded');
    expect((seen as { jobs: string[] }).jobs).toHaveLength(2);
  });
});
