import { expect, test } from '@jest/globals';
import { InvalidSignalError, StepFailedError, defineJob, defineSignal, jobHandler } from '@tablequeue/typeorm';
import { z } from 'zod';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const job = defineJob('job', { retry: { attempts: 1 } });

describeEach('what a handler makes and JSON cannot hold', (engine) => {
  const bench = useWorkbench(engine);

  test.each([
    ['a Map', new Map([[1, 2]]), 'it is a Map'],
    ['a function', () => 1, 'it is a function'],
    ['a symbol', Symbol('x'), 'it is a symbol'],
    ['NaN', Number.NaN, 'it is NaN'],
    ['an Error', new TypeError('x'), 'it is a TypeError'],
    ['an object with a Set', { tags: new Set(['a']) }, '"tags" is a Set'],
    ['an object with a toJSON that returns nothing', { toJSON: () => undefined }, 'its toJSON returns nothing'],
  ])('%s is no result of a step or a job, no cursor, and no data of a signal', async (_what, value, reason) => {
    const errors: unknown[] = [];
    await bench.work([
      jobHandler(job, async (_payload, { step, checkpoint, cursor }) => {
        errors.push(await step('made', () => value).catch((error: unknown) => error));
        errors.push(
          await step('loop', (it) => it.checkpoint(value), { retry: { attempts: 1 } }).catch((error) => error),
        );
        errors.push(await checkpoint(value).catch((error: unknown) => error));
        errors.push(await cursor());
        return value;
      }),
    ]);
    const { id } = await bench.queue.enqueue(job);
    const done = await bench.untilJobIs(id, 'succeeded');
    expect(done.result).toBeUndefined();
    expect(done.error).toBe(`The result was not stored: ${reason}`);
    expect(bench.logger.lines).toEqual([expect.stringContaining(`Job "job" has succeeded. ${done.error}`)]);
    const [ofStep, ofLoop, ofHandler, cursor] = errors;
    expect(ofStep).toBeInstanceOf(StepFailedError);
    expect(String(ofStep)).toContain(`The step has ended, but its result cannot be stored: ${reason}.`);
    expect(String(ofLoop)).toContain(`The cursor cannot be stored: ${reason}.`);
    expect(ofHandler).toBeInstanceOf(TypeError);
    expect(String(ofHandler)).toContain(`The cursor cannot be stored: ${reason}.`);
    expect(cursor).toBeUndefined();

    const waiting = await bench.queue.enqueue(job, undefined, { delay: '1h' });
    const sent = bench.queue.signal(waiting.id, 'go', value);
    await expect(sent).rejects.toThrow(InvalidSignalError);
    await expect(sent).rejects.toThrow(`The data of the signal "go" cannot be sent: ${reason}.`);
    expect(await bench.dataSource.query('SELECT 1 FROM tq_signal')).toEqual([]);
  });

  test('results have dates and other values with toJSON as that makes them, and null for undefined in a list', async () => {
    const value = { at: new Date(0), none: undefined, list: [undefined], bytes: Buffer.from('a') };
    const stored = { at: '1970-01-01T00:00:00.000Z', list: [null], bytes: { type: 'Buffer', data: [97] } };
    const seen: unknown[] = [];
    await bench.work([
      jobHandler(job, async (_payload, { step, checkpoint, cursor }) => {
        seen.push(await step('made', () => value));
        await checkpoint(value);
        seen.push(await cursor());
        return value;
      }),
    ]);
    const { id } = await bench.queue.enqueue(job);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: stored });
    expect(seen).toEqual([stored, stored]);
    expect(bench.logger.lines).toEqual([]);
  });

  test('an invalid date is no result', async () => {
    await bench.work([jobHandler(job, () => ({ at: new Date(Number.NaN) }))]);
    const { id } = await bench.queue.enqueue(job);
    const { error } = await bench.untilJobIs(id, 'succeeded');
    expect(error).toBe('The result was not stored: "at" is an invalid Date');
  });

  test('data of a signal has a date only with a schema that reads it, as a payload', async () => {
    const { id } = await bench.queue.enqueue(job, undefined, { delay: '1h' });
    const dated = defineSignal('dated', { schema: z.object({ at: z.coerce.date<Date>() }) });
    await expect(bench.queue.signal(id, 'plain', { at: new Date() })).rejects.toThrow(
      /"at" is a Date.*pass text or ms/,
    );
    await expect(bench.queue.signal(id, 'plain', [undefined])).rejects.toThrow(/"0" is undefined, in an array/);
    expect(await bench.queue.signal(id, dated, { at: new Date() })).toBe('sent');
    expect(await bench.queue.signal(id, 'plain')).toBe('sent');
  });
});
