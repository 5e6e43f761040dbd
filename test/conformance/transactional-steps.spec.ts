import { expect, test } from '@jest/globals';
import { StepsUnavailableError, defineJob, fixed, jobHandler, transactionalHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { stepRows, takeFromWorker } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const book = defineJob<string>('book', { retry: { attempts: 3, backoff: fixed('1h') } });

describeEach('transactional steps', (engine) => {
  const bench = useWorkbench(engine);

  const notes = async () => (await bench.rows(Note)).map(({ text }) => text);

  /** A subscriber of the application's that fails once, at the next commit after `begin`. */
  function failingCommit(hook: 'beforeTransactionCommit' | 'afterTransactionCommit') {
    let isToFail = false;
    const subscriber = {
      [hook]: () => {
        if (isToFail) {
          isToFail = false;
          throw new Error('a subscriber of the application');
        }
      },
    };
    const { subscribers } = bench.dataSource;
    subscribers.push(subscriber);
    return {
      begin: () => void (isToFail = true),
      end: () => void subscribers.splice(subscribers.indexOf(subscriber), 1),
    };
  }

  test('the writes of a step and its result are committed together, once', async () => {
    await bench.work([
      jobHandler(book, async (text, { step, attempt }) => {
        const result = await step(
          'write',
          async (manager) => {
            await manager.insert(Note, { id: 1, text });
            expect(await stepRows(bench.queue)).toEqual([]);
            return { text };
          },
          { transactional: true },
        );
        if (attempt === 1) {
          await takeFromWorker(bench);
          await step('lost', () => undefined);
        }
        return result;
      }),
    ]);
    const { id } = await bench.queue.enqueue(book, 'a');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2, result: { text: 'a' } });
    expect(await notes()).toEqual(['a']);
    expect(await stepRows(bench.queue)).toEqual(['step write done']);
  });

  test('the writes of a step that throws are rolled back, and it is tried again', async () => {
    await bench.work([
      jobHandler(book, async (text, { step }) => {
        await step(
          'write',
          async (manager, { failures }) => {
            await manager.insert(Note, { id: 1, text: `${text}${failures}` });
            if (failures === 0) {
              throw new Error('in the middle');
            }
          },
          { transactional: true },
        );
      }),
    ]);
    const { id } = await bench.queue.enqueue(book, 'a');
    await bench.untilJobIs(id, 'scheduled');
    expect(await notes()).toEqual([]);
    bench.clock.advance('1h');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ failures: 0 });
    expect(await notes()).toEqual(['a1']);
  });

  test('the writes of a step whose job another worker has are rolled back', async () => {
    const attempts: number[] = [];
    await bench.work([
      jobHandler(book, async (text, { step, attempt }) => {
        await step(
          'write',
          async (manager) => {
            attempts.push(attempt);
            await manager.insert(Note, { id: attempt, text: `${text}${attempt}` });
            if (attempt === 1) {
              // On SQLite, which has one connection, this is rolled back too.
              await manager.query("UPDATE tq_job SET attempt = attempt + 1 WHERE name = 'book'");
            }
          },
          { transactional: true },
        );
      }),
    ]);
    await bench.queue.enqueue(book, 'a');
    await waitFor('another attempt has written it', async () => (await notes()).length > 0);
    expect(attempts).toEqual([1, 2]);
    expect(await notes()).toEqual(['a2']);
  });

  test.each([
    ['after it', 'afterTransactionCommit', 0],
    ['before it', 'beforeTransactionCommit', 1],
  ] as const)('after a commit that fails %s the stored step shows the outcome', async (_when, hook, failures) => {
    const failing = failingCommit(hook);
    const calls: number[] = [];
    await bench.work([
      jobHandler(book, async (text, { step }) => {
        await step(
          'write',
          async (manager, context) => {
            calls.push(context.failures);
            await manager.insert(Note, { id: 1, text });
            if (context.failures === 0) {
              failing.begin();
            }
          },
          { transactional: true, retry: { attempts: 2, backoff: fixed(1) } },
        );
      }),
    ]);
    const { id } = await bench.queue.enqueue(book, 'a');
    await bench.untilJobIs(id, 'succeeded');
    expect(calls).toHaveLength(failures + 1);
    expect(await notes()).toEqual(['a']);
    failing.end();
  });

  // SQLite ends no transaction on a deadlock.
  if (engine !== 'sqlite') {
    test('a step that has lost its transaction without noticing is not stored', async () => {
      await bench.work([
        jobHandler(book, async (text, { step }) => {
          await step(
            'write',
            async (manager) => {
              await manager.insert(Note, { id: 1, text });
              await manager.query('ROLLBACK');
            },
            { transactional: true },
          );
        }),
      ]);
      const { id } = await bench.queue.enqueue(book, 'a');
      await bench.untilJobIs(id, 'scheduled');
      expect(await notes()).toEqual([]);
      expect(await stepRows(bench.queue)).toEqual(['step write open']);
    });
  }

  test('many run at a time, beside other steps', async () => {
    const count = 20;
    await bench.work([
      jobHandler(book, async (text, { step }) => {
        await step('plain', () => text);
        await step('write', (manager) => manager.insert(Note, { id: Number(text), text }), { transactional: true });
        await step('other', () => text);
      }),
    ]);
    await bench.queue.enqueueMany(
      book,
      Array.from({ length: count }, (_, index) => ({ payload: `${index}` })),
    );
    await waitFor('all have run', async () => (await bench.countFinished()) === count);
    expect(await notes()).toHaveLength(count);
    expect(await stepRows(bench.queue)).toHaveLength(3 * count);
  });

  test('a transactional handler cannot make durable calls', async () => {
    await bench.work([
      transactionalHandler(book, async (_text, job) => {
        await (job as unknown as { sleep(wait: string): Promise<void> }).sleep('1h');
      }),
    ]);
    const { id } = await bench.queue.enqueue(book, 'a');
    expect((await bench.untilJobIs(id, 'failed'))?.error).toContain(StepsUnavailableError.name);
  });
});
