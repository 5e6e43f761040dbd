import { expect, test } from '@jest/globals';
import { RunEndedError, type StepContext, defineJob, fixed, jobHandler } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { takeFromWorker } from '../support/restarting.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const load = defineJob('load', { retry: { attempts: 2, backoff: fixed('1h') } });

describeEach('cursors', (engine) => {
  const bench = useWorkbench(engine);

  test('a handler goes on behind its last cursor', async () => {
    const items: number[] = [];
    await bench.work([
      jobHandler(load, async (_payload, { cursor, checkpoint, attempt }) => {
        for (let item = (await cursor<number>()) ?? 0; item < 6; item++) {
          items.push(item);
          if (item === 3 && attempt === 1) {
            throw new Error('in the middle');
          }
          await checkpoint(item + 1);
        }
      }),
    ]);
    const { id } = await bench.queue.enqueue(load);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    await bench.untilJobIs(id, 'succeeded');
    expect(items).toEqual([0, 1, 2, 3, 3, 4, 5]);
  });

  test('a step goes on behind its cursor, and progress resets its failures', async () => {
    const seen: unknown[] = [];
    await bench.work([
      jobHandler(load, async (_payload, { step }) => {
        return step('import', async ({ cursor, checkpoint, failures }) => {
          seen.push([cursor, failures]);
          for (let chunk = (cursor as number | undefined) ?? 0; chunk < 4; chunk++) {
            await checkpoint(chunk + 1);
            if (chunk < 3) {
              throw new Error(`behind chunk ${chunk}`);
            }
          }
          return 'imported';
        });
      }),
    ]);
    const { id } = await bench.queue.enqueue(load);
    for (let tries = 1; tries <= 3; tries++) {
      await waitFor('it waits', async () => {
        return seen.length === tries && (await bench.queue.find(id))?.state === 'scheduled';
      });
      bench.clock.advance('1h');
    }
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: 'imported', failures: 0 });
    expect(seen).toEqual([
      [undefined, 0],
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  test('a chunk and its cursor are committed together, exactly once', async () => {
    await bench.work([
      jobHandler(load, async (_payload, { step, attempt }) => {
        await step('import', async ({ cursor, checkpoint }) => {
          for (let chunk = (cursor as number | undefined) ?? 0; chunk < 4; chunk++) {
            if (chunk === 2 && attempt === 1) {
              await takeFromWorker(bench);
            }
            await checkpoint(chunk + 1, (manager) => manager.insert(Note, { id: chunk, text: `by ${attempt}` }));
          }
        });
      }),
    ]);
    const { id } = await bench.queue.enqueue(load);
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 2 });
    expect((await bench.rows(Note)).map(({ text }) => text)).toEqual(['by 1', 'by 1', 'by 2', 'by 2']);
  });

  test('of several cursors at a time the last one counts, and none is stored after the end of its step', async () => {
    let late: Promise<void> | undefined;
    await bench.work([
      jobHandler(load, async (_payload, job) => {
        let checkpoint: StepContext['checkpoint'] | undefined;
        await job.step('import', async (step) => {
          ({ checkpoint } = step);
          for (let chunk = 1; chunk <= 5; chunk++) {
            void step.checkpoint(chunk);
          }
          if (job.attempt === 1) {
            throw new Error('behind the last one');
          }
          return step.cursor;
        });
        late = checkpoint?.(6);
        await late?.catch(() => undefined);
        return (await bench.queue.steps(job.id, { results: true }))[0];
      }),
    ]);
    const { id } = await bench.queue.enqueue(load);
    await bench.untilJobIs(id, 'scheduled');
    bench.clock.advance('1h');
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ result: { state: 'done', result: 5 } });
    await expect(late).rejects.toThrow(RunEndedError);
  });

  test('a step that is stopped ends at its next cursor, and another worker goes on from there', async () => {
    const chunks: string[] = [];
    let attempts = 0;
    let isStopping: Promise<void> | undefined;
    const handler = jobHandler(load, async (_payload, { step, attempt }) => {
      attempts = attempt;
      await step('import', async ({ cursor, checkpoint }) => {
        for (let chunk = (cursor as number | undefined) ?? 0; chunk < 10; chunk++) {
          chunks.push(`${chunk} by ${attempt}`);
          if (chunk === 4 && attempt === 1) {
            isStopping = first.stop();
          }
          await checkpoint(chunk + 1);
        }
      });
    });
    const first = await bench.work([handler]);
    const { id } = await bench.queue.enqueue(load);
    await waitFor('it stops', () => isStopping !== undefined);
    await isStopping;
    expect(await bench.queue.find(id)).toMatchObject({ state: 'ready', failures: 0 });
    await bench.work([handler]);
    await bench.untilJobIs(id, 'succeeded');
    expect(attempts).toBe(2);
    expect(chunks).toHaveLength(10);
    expect(chunks.filter((chunk) => chunk.endsWith('by 1'))).toHaveLength(5);
  });
});
