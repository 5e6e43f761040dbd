import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  DuplicateJobError,
  TransactionEndedError,
  TransactionLostError,
  defineEvent,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { Note } from '../support/note.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import type { Client, ClientScope, ClientSuite } from './client.js';
import { UGLY } from './ugly-values.js';

const mail = defineJob<unknown>('mail');
const once = defineJob<{ note: number }>('once', { unique: { key: ({ note }) => `n:${note}` } });
const ordered = defineJob<{ note: number }>('ordered', { order: { by: ({ note }) => `o:${note}` } });
const waiting = defineJob('waiting');
const paid = defineEvent<{ note: number }>('paid');

class Rollback extends Error {}

/** Tests the option `via` with a client. */
export function describeClient(suite: ClientSuite, engines: readonly Engine[]): void {
  describeEach(`via ${suite.title ?? suite.name}`, (engine) => defineTests(suite, engine), engines);
}

function defineTests(suite: ClientSuite, engine: Engine): void {
  const bench = useWorkbench(engine);
  let client: Client;
  beforeAll(async () => {
    client = await suite.connect(bench.database);
  });
  afterAll(() => client.close());

  const jobs = async () => (await bench.liveJobs()).map(({ name, payload }) => [name, JSON.parse(payload ?? 'null')]);

  /** Runs work, and checks that it was rolled back. */
  const rolledBack = (work: (scope: ClientScope) => Promise<unknown>) =>
    expect(
      client.transaction(async (scope) => {
        await work(scope);
        throw new Rollback();
      }),
    ).rejects.toThrow(Rollback);

  test('jobs exist if their transaction commits, like its other writes', async () => {
    await client.transaction(async ({ via, run }) => {
      await run("INSERT INTO note (id, text) VALUES (1, 'order')");
      const { id } = await bench.queue.enqueue(mail, { note: 1 }, { via: via(), key: 'note:1' });
      expect(await bench.queue.find(id, { via: via() })).toMatchObject({ state: 'ready', payload: { note: 1 } });
      expect(await bench.queue.findByKey('note:1', { via: via() })).toHaveLength(1);
    });
    expect(await jobs()).toEqual([['mail', { note: 1 }]]);
    expect(await bench.rows(Note)).toHaveLength(1);
  });

  test('nothing exists after a rollback', async () => {
    await rolledBack(async ({ via, run }) => {
      await run("INSERT INTO note (id, text) VALUES (1, 'order')");
      await bench.queue.enqueue(mail, { note: 1 }, { via: via() });
      await bench.queue.enqueueMany(mail, [{ payload: 2 }, { payload: 3 }], { via: via() });
      await bench.queue.enqueue(once, { note: 1 }, { via: via() });
      await bench.queue.enqueue(ordered, { note: 1 }, { via: via() });
      await bench.queue.publish(paid, { note: 1 }, { via: via() });
      await bench.queue.groups.enqueue(
        { jobs: [{ definition: mail, payload: 1 }], onSuccess: { definition: mail, payload: 2 } },
        { via: via() },
      );
    });
    expect(await jobs()).toEqual([]);
    expect(await bench.rows(Note)).toEqual([]);
  });

  test('calls at the same time are all part of it', async () => {
    const notes = [1, 2, 3, 4, 5];
    await client.transaction(({ via }) =>
      Promise.all(notes.map((note) => bench.queue.enqueue(mail, note, { via: via() }))),
    );
    const stored = (await jobs()).map(([, payload]) => Number(payload));
    expect(stored.toSorted((a, b) => a - b)).toEqual(notes);
  });

  test('values arrive as they were, many at once', async () => {
    const many = Array.from({ length: 1_500 }, (_value, index) => ({ payload: UGLY[index % UGLY.length] ?? null }));
    await client.transaction(({ via }) => bench.queue.enqueueMany(mail, many, { via: via() }));
    for (const payload of UGLY) {
      const key = `k:${UGLY.indexOf(payload)} '"\\\u{1F600}`;
      await client.transaction(({ via }) => bench.queue.enqueue(mail, payload, { via: via(), key, tenant: key }));
      const [found] = await bench.queue.findByKey(key);
      expect(found).toMatchObject({ payload, key, tenant: key });
    }
    expect(await bench.liveJobs()).toHaveLength(many.length + UGLY.length);
  });

  test('times, priorities and expiry are those of a call without a transaction', async () => {
    const options = { runAt: new Date('2100-02-03T04:05:06.789Z'), priority: -500, expiresIn: '1d', key: 'x' } as const;
    const other = await bench.queue.enqueue(mail, 1, options);
    const { id } = await client.transaction(({ via }) => bench.queue.enqueue(mail, 1, { ...options, via: via() }));
    const { id: _a, createdAt: _b, ...expected } = (await bench.queue.find(other.id))!;
    expect(await bench.queue.find(id)).toMatchObject(expected);
  });

  test('unique keys hold inside and outside of the transaction', async () => {
    const { id } = await bench.queue.enqueue(once, { note: 1 });
    await client.transaction(async ({ via }) => {
      expect(await bench.queue.enqueue(once, { note: 1 }, { via: via() })).toMatchObject({ id, created: false });
      const stored = await bench.queue.enqueueMany(once, [{ payload: { note: 2 } }, { payload: { note: 2 } }], {
        via: via(),
      });
      expect(stored.map(({ created }) => created)).toEqual([true, false]);
      const unique = { key: 'n:1', onConflict: 'throw' } as const;
      await expect(bench.queue.enqueue(once, { note: 1 }, { via: via(), unique })).rejects.toThrow(DuplicateJobError);
    });
    expect(await bench.liveJobs()).toHaveLength(2);
  });

  test('groups, events, cancellations, retries and signals are part of the transaction', async () => {
    const target = await bench.queue.enqueue(waiting, undefined, { delay: '1h', key: 'order:7' });
    const act = async ({ via }: ClientScope) => {
      expect(await bench.queue.signal(target.id, 'paid', { by: "O'Hara" }, { via: via() })).toBe('sent');
      const group = { jobs: [{ definition: mail, payload: 1 }], onSuccess: { definition: mail, payload: 2 } } as const;
      const { id } = await bench.queue.groups.enqueue(group, { via: via() });
      expect(await bench.queue.groups.find(id, { via: via() })).toBeDefined();
      await bench.queue.publish(paid, { note: 1 }, { via: via() });
      expect(await bench.queue.cancelByKey('order:7', { via: via() })).toEqual({ cancelled: 1, requested: 0 });
      expect(await bench.queue.failed.retry(target.id, { via: via() })).toBe(true);
      expect(await bench.queue.cancel(target.id, { via: via() })).toBe('cancelled');
    };
    await rolledBack(act);
    expect((await bench.queue.find(target.id))?.state).toBe('scheduled');
    expect(await bench.liveJobs()).toHaveLength(1);
    await client.transaction(act);
    expect((await bench.queue.find(target.id))?.state).toBe('cancelled');
    expect(await bench.liveJobs()).toHaveLength(3);
  });

  test('an error inside leaves the transaction to the application', async () => {
    await client.transaction(async ({ via, run }) => {
      await bench.queue.enqueue(mail, { note: 1 }, { via: via() });
      // Of another realm with better-sqlite3, where Jest does not see an error.
      const error = await run("INSERT INTO no_such_table VALUES ('secret')").then(() => 'no error', String);
      expect(error).toContain('no_such_table');
      await bench.queue.enqueue(mail, { note: 2 }, { via: via() });
    });
    expect(await jobs()).toHaveLength(2);
  });

  describe('a transaction that has ended', () => {
    const refused = async (call: () => Promise<unknown>) => {
      await expect(call()).rejects.toThrow(TransactionEndedError);
      await expect(call()).rejects.toMatchObject({ client: suite.name });
    };
    const calls = (scope: ClientScope) => async () => {
      await refused(async () => bench.queue.enqueue(mail, 'late', { via: scope.via() }));
      await refused(async () => bench.queue.enqueueMany(mail, [{ payload: 'late' }], { via: scope.via() }));
      await refused(async () => bench.queue.cancelByKey('k', { via: scope.via() }));
    };

    test('is refused after its commit, and stores nothing', async () => {
      const kept = await client.transaction(async (scope) => {
        const via = scope.via();
        await bench.queue.enqueue(mail, 'early', { via, key: 'k' });
        return { ...scope, via: () => via };
      });
      await calls(kept)();
      expect(await jobs()).toEqual([['mail', 'early']]);
    });

    test('is refused after its rollback, also if the queue has not seen it before', async () => {
      await bench.queue.enqueue(mail, 'early', { key: 'k' });
      let kept: ClientScope | undefined;
      await rolledBack(async (scope) => {
        kept = scope;
      });
      await calls(kept!)();
      expect(await jobs()).toEqual([['mail', 'early']]);
    });

    test('is refused while another one is open, and adds nothing to it', async () => {
      const kept = await client.transaction(async (scope) => {
        const via = scope.via();
        await bench.queue.enqueue(mail, 'early', { via });
        return via;
      });
      await client.transaction(async ({ via }) => {
        await bench.queue.enqueue(mail, 'other', { via: via() });
        await refused(async () => bench.queue.enqueue(mail, 'late', { via: kept }));
      });
      expect(new Set((await jobs()).map(([, payload]) => payload))).toEqual(new Set(['early', 'other']));
    });

    // Prisma sends its ROLLBACK between the check and the change of a call that runs at the same time.
    if (suite.reportsEnd) {
      test('takes no call whose statements come after its end', async () => {
        for (let turns = 0; turns < 40; turns++) {
          let pending: Promise<unknown> | undefined;
          await rolledBack(async ({ via }) => {
            pending = bench.queue.enqueue(mail, 'late', { via: via() });
            pending.catch(() => undefined);
            for (let turn = 0; turn < turns; turn++) {
              await (turn % 4 === 3 ? new Promise(setImmediate) : undefined);
            }
          });
          await pending!.catch((error: unknown) => expect(error).toBeInstanceOf(TransactionEndedError));
        }
        expect(await jobs()).toEqual([]);
      });
    }

    if (engine !== 'sqlite') {
      test('is refused after a deadlock that the application has caught', async () => {
        await bench.dataSource.query("INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
        const other = bench.dataSource.createQueryRunner();
        await other.startTransaction();
        await other.query("UPDATE note SET text = 'x' WHERE id BETWEEN 2 AND 4");
        await client
          .transaction(async ({ via, run }) => {
            const early = via();
            await run("UPDATE note SET text = 'y' WHERE id = 1");
            const blocked = other.query("UPDATE note SET text = 'x' WHERE id = 1");
            await expect(run("UPDATE note SET text = 'y' WHERE id = 2")).rejects.toHaveProperty('message');
            await blocked;
            for (const each of [early, via()]) {
              await expect(bench.queue.enqueue(mail, 'late', { via: each })).rejects.toThrow(
                /TransactionEnded|not open|has ended/,
              );
            }
          })
          // Some clients fail at the COMMIT or at its savepoint.
          .catch((error: unknown) => expect(error).not.toBeInstanceOf(TransactionLostError));
        await other.rollbackTransaction();
        await other.release();
        expect(await jobs()).toEqual([]);
      });
    }
  });

  test(suite.reportsEnd ? 'the local worker starts at once after the commit' : 'the worker finds the job', async () => {
    const seen: unknown[] = [];
    const pollInterval = suite.reportsEnd ? '1h' : '50ms';
    await bench.work(
      [jobHandler(mail, (payload) => void seen.push(payload)), jobHandler(ordered, () => void seen.push('ordered'))],
      { pollInterval },
    );
    await client.transaction(async ({ via }) => {
      await bench.queue.enqueue(mail, 'first', { via: via() });
      if (suite.reportsEnd) {
        await bench.queue.enqueue(ordered, { note: 1 }, { via: via() });
      }
      expect(seen).toEqual([]);
    });
    await waitFor('the jobs have run', () => seen.length === (suite.reportsEnd ? 2 : 1));
  });
}
