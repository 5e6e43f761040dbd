import { beforeAll, expect, test } from '@jest/globals';
import {
  InvalidNameError,
  InvalidOptionError,
  LockLostError,
  LockStateError,
  LockTimeoutError,
  TableQueue,
  UnknownOptionError,
} from '@tablequeue/typeorm';
import { NamedLock, TableQueueLock } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { sessionsOf } from '../support/sessions.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';
import { Workbench } from '../support/workbench.js';

type Engine = TableQueue['engine'];

describeEach('named locks', (engine) => {
  const bench = useWorkbench(engine);
  let other: TableQueue;
  beforeAll(async () => {
    other = new TableQueue(await bench.database.connect(), { clock: bench.clock });
  });

  async function connections(): Promise<number[]> {
    const { database } = bench.dataSource.driver;
    return (await sessionsOf(bench.dataSource)).filter(({ db }) => db === database).map(({ Id }) => Number(Id));
  }

  /** Takes a lock, and returns how to take it away from its holder. */
  async function acquireLosably(lock: NamedLock): Promise<() => Promise<void>> {
    if (engine === 'sqlite') {
      await lock.acquire();
      return async () => {
        await bench.dataSource.query('UPDATE tq_lock SET lease_until = 0');
      };
    }
    const before = await connections();
    await lock.acquire();
    const own = (await connections()).filter((id) => !before.includes(id));
    expect(own).toHaveLength(1);
    return async () => {
      await bench.dataSource.query(`KILL ${own[0]}`);
    };
  }

  test('one holder at a time, over all data sources', async () => {
    let holders = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        return (index % 2 === 0 ? bench.queue : other).lock('report').withLock(async () => {
          most = Math.max(most, ++holders);
          await new Promise((resolve) => setImmediate(resolve));
          holders--;
          return index;
        });
      }),
    );
    expect(results).toEqual(Array.from({ length: 12 }, (_, index) => index));
    expect([most, holders]).toEqual([1, 0]);
  });

  test('one that is held is not got, one that was released is', async () => {
    const first = bench.queue.lock('report');
    const second = other.lock('report');
    expect(await first.tryLock()).toBe(true);
    expect([first.isHeld, first.signal?.aborted]).toEqual([true, false]);
    expect(await second.tryLock()).toBe(false);
    expect([second.isHeld, second.signal]).toEqual([false, undefined]);
    expect(await first.release()).toBe(true);
    expect([first.isHeld, first.signal]).toEqual([false, undefined]);
    expect(await first.release()).toBe(false);
    expect(await second.tryLock()).toBe(true);
    await second.release();
    expect(await bench.rows(TableQueueLock)).toEqual([]);
  });

  test.each([[0], [300], [1_200]])('waiting ends after a timeout of %d ms', async (timeout) => {
    const holder = bench.queue.lock('report');
    await holder.acquire();
    const since = performance.now();
    const refused = other.lock('report').acquire({ timeout });
    await expect(refused).rejects.toThrow(LockTimeoutError);
    const elapsed = performance.now() - since;
    await expect(refused).rejects.toMatchObject({ lockName: 'report', timeout });
    expect(elapsed).toBeGreaterThanOrEqual(timeout - 5);
    expect(elapsed).toBeLessThan(timeout + 5_000);
    await holder.release();
  });

  test('a waiting caller gets it when it becomes free, and blocks no other call meanwhile', async () => {
    const holder = bench.queue.lock('report');
    await holder.acquire();
    const waiting = other.lock('report');
    let got = false;
    const acquired = waiting.acquire({ timeout: '30s' }).then(() => (got = true));
    expect(await bench.queue.lock('report').tryLock()).toBe(false);
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    await waitFor('this process goes on', () => turns >= 24);
    clearInterval(ticking);
    expect(got).toBe(false);
    await holder.release();
    await acquired;
    expect(await holder.tryLock()).toBe(false);
    await waiting.release();
  });

  test('it is not reentrant', async () => {
    const lock = bench.queue.lock('report');
    await lock.acquire();
    await expect(lock.acquire()).rejects.toThrow(LockStateError);
    await expect(lock.tryLock()).rejects.toThrow(/"report".*not reentrant/);
    await expect(lock.withLock(() => 1)).rejects.toThrow(LockStateError);
    expect(lock.isHeld).toBe(true);
    expect(await bench.queue.lock('report').tryLock()).toBe(false);
    await lock.release();
    const waiting = lock.acquire();
    await expect(lock.acquire()).rejects.toThrow(LockStateError);
    await waiting;
    await lock.release();
  });

  test('withLock frees it also when the function throws', async () => {
    const lock = bench.queue.lock('report');
    const failed = lock.withLock(() => {
      throw new TypeError('of the function');
    });
    await expect(failed).rejects.toThrow(TypeError);
    expect(lock.isHeld).toBe(false);
    expect(await lock.withLock((signal) => signal.aborted)).toBe(false);
  });

  test('its end of scope frees it', async () => {
    const lock = bench.queue.lock('report');
    await lock.acquire();
    await lock[Symbol.asyncDispose]();
    expect(await other.lock('report').withLock(() => 'free')).toBe('free');
  });

  test('a holder that loses it is aborted, and others get it', async () => {
    const lock = bench.queue.lock('report');
    const lose = await acquireLosably(lock);
    const { signal } = lock;
    await lose();
    expect(await other.lock('report').withLock(() => 'taken over')).toBe('taken over');
    await waitFor('the holder is aborted', () => signal?.aborted);
    expect(signal?.reason).toBeInstanceOf(LockLostError);
    expect(lock.isHeld).toBe(false);
    expect(await lock.release()).toBe(false);
    expect(await lock.tryLock()).toBe(true);
    await lock.release();
  });

  test('withLock fails when the lock was lost meanwhile', async () => {
    const lock = bench.queue.lock('report');
    const lose = await acquireLosably(lock);
    await lock.release();
    if (engine === 'sqlite') {
      await expect(lock.withLock(lose)).rejects.toThrow(LockLostError);
      return;
    }
    const before = await connections();
    const lost = lock.withLock(async (signal) => {
      const own = (await connections()).find((id) => !before.includes(id));
      await bench.dataSource.query(`KILL ${own}`);
      await waitFor('it is aborted', () => signal.aborted);
    });
    await expect(lost).rejects.toThrow(LockLostError);
  });

  test('names are any text, and compared exactly', async () => {
    const names = ['Report', 'report', ' report', "o'brien", '🦊'.repeat(95), 'x'.repeat(191)];
    const locks = names.map((name) => bench.queue.lock(name));
    for (const lock of locks) {
      expect(await lock.tryLock()).toBe(true);
    }
    for (const name of names) {
      expect(await other.lock(name).tryLock()).toBe(false);
    }
    await Promise.all(locks.map((lock) => lock.release()));
  });

  test('a lock of one database is no lock of another', async () => {
    const neighbor = await Workbench.open(engine);
    const lock = bench.queue.lock('report');
    await lock.acquire();
    expect(await neighbor.queue.lock('report').withLock(() => 'free')).toBe('free');
    await lock.release();
    await neighbor.close();
  });

  test('bad input is refused by name', async () => {
    for (const name of ['', 'x'.repeat(192), 'a\0b', 'report ', 5 as never, undefined as never]) {
      expect(() => bench.queue.lock(name)).toThrow(InvalidNameError);
      expect(() => bench.queue.lock(name)).toThrow(/not a valid lock name: use 1 to 191 characters/);
    }
    const lock = bench.queue.lock('report');
    await expect(lock.acquire({ timeout: -1 })).rejects.toThrow(InvalidOptionError);
    await expect(lock.acquire({ timeout: Infinity })).rejects.toThrow(/"timeout" is Infinity.*at most 24 days/);
    await expect(lock.withLock(() => 1, { timeout: 'soon' as never })).rejects.toThrow(/"timeout" is 'soon'/);
    await expect(lock.acquire({ wait: 5 } as object)).rejects.toThrow(UnknownOptionError);
    await expect(lock.acquire(null as never)).rejects.toThrow(/"options" is null/);
    expect(lock.isHeld).toBe(false);
    expect(await lock.tryLock()).toBe(true);
    await lock.release();
  });
});

describeEach('a named lock with a lease', (engine) => {
  const bench = useWorkbench(engine);

  /** As on a cluster: the server's own locks are of no use. */
  const leased = (name: string) => {
    const withoutSessions = Object.create(bench.queue.engine, { openLockSession: { value: undefined } }) as Engine;
    return new NamedLock({ engine: withoutSessions }, name);
  };

  test("is free when that has ended, by the database's clock", async () => {
    const lost = leased('report');
    await lost.acquire();
    bench.clock.advance('20s');
    expect(await leased('report').tryLock()).toBe(false);
    bench.clock.advance('10s');
    const next = leased('report');
    expect(await next.tryLock()).toBe(true);
    expect(await lost.release()).toBe(false);
    expect(await leased('report').tryLock()).toBe(false);
    await next.release();
    expect(await bench.rows(TableQueueLock)).toEqual([]);
  });

  test('has one holder at a time', async () => {
    let holders = 0;
    let most = 0;
    let runs = 0;
    const work = async () => {
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      runs++;
    };
    await Promise.all(Array.from({ length: 20 }, () => leased('report').withLock(work, { timeout: '1m' })));
    expect([most, holders, runs]).toEqual([1, 0, 20]);
  });
});
