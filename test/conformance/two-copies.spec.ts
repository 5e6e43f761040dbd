import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as errors from '@tablequeue/typeorm';
import { defineJob, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

/** A second copy of the package, as another package of the application may have installed it. */
let copy: typeof errors;
beforeAll(async () => {
  jest.resetModules();
  copy = await import('@tablequeue/typeorm');
});

/** By name. */
function exportsOf(module: typeof errors): Readonly<Record<string, unknown>> {
  return module;
}

type ErrorClass = abstract new (...args: never[]) => Error;

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

describe('instanceof knows the errors of the other copy', () => {
  const names = Object.entries(exportsOf(errors)).flatMap(([name, value]) => (isErrorClass(value) ? [name] : []));
  test.each(names)('%s', (name) => {
    const [ours, theirs] = [errors, copy].map((each) => exportsOf(each)[name] as ErrorClass);
    expect(theirs).not.toBe(ours);
    const error: unknown = Object.create(theirs!.prototype as object);
    expect(error instanceof ours!).toBe(true);
    expect(error instanceof errors.TableQueueError).toBe(true);
    expect(error instanceof errors.LockStateError).toBe(name === 'LockStateError');
  });

  test('but not of classes that extend them', () => {
    class Ours extends errors.UnrecoverableJobError {}
    class Theirs extends copy.UnrecoverableJobError {}
    expect(new Theirs('no')).toBeInstanceOf(errors.UnrecoverableJobError);
    expect(new Theirs('no')).not.toBeInstanceOf(Ours);
    expect(new errors.UnrecoverableJobError('no')).not.toBeInstanceOf(Ours);
    expect(new Ours('no')).toBeInstanceOf(Ours);
  });
});

describeEach('a handler that throws errors of another copy', (engine) => {
  const bench = useWorkbench(engine);
  const job = defineJob('copied', { retry: { attempts: 3, backoff: fixed('1h') } });

  test('fails for good with UnrecoverableJobError', async () => {
    await bench.work([
      jobHandler(job, () => {
        throw new copy.UnrecoverableJobError('gone');
      }),
    ]);
    const { id } = await bench.queue.enqueue(job);
    await bench.untilJobIs(id, 'failed');
  });

  test('is snoozed with SnoozeJobError, and no failure counts', async () => {
    await bench.work([
      jobHandler(job, () => {
        throw new copy.SnoozeJobError('2h');
      }),
    ]);
    const { id } = await bench.queue.enqueue(job);
    expect(await bench.untilJobIs(id, 'scheduled')).toMatchObject({ failures: 0, errors: [] });
  });
});
