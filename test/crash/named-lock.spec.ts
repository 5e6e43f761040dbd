import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LockLostError, TableQueue } from '@tablequeue/typeorm';
import { TableQueueLock } from '@tablequeue/typeorm/internal';
import { FaultProxy } from '@tablequeue/verify/internal';
import { DataSource } from 'typeorm';

import { ChildProcess } from '../support/child-process.js';
import { connectionOptions } from '../support/connection-options.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const HOLDER = new URL('../dist/processes/lock-holder.js', import.meta.url);

describeEach('a process that holds a named lock', (engine) => {
  let holder: ChildProcess;
  afterEach(() => holder.end('SIGKILL'));
  const bench = useWorkbench(engine, { isolation: 'database' });
  beforeEach(async () => {
    holder = ChildProcess.start(HOLDER, { CONFIG: JSON.stringify({ engine, url: bench.database.url }) });
    expect(await holder.nextMessage()).toBe('held');
  });

  test('excludes others, and frees it when it is killed', async () => {
    const lock = bench.queue.lock('report');
    expect(await lock.tryLock()).toBe(false);
    await holder.end('SIGKILL');
    if (engine === 'sqlite') {
      expect(await lock.tryLock()).toBe(false);
      bench.clock.advance('30s');
      expect(await lock.tryLock()).toBe(true);
    } else {
      await lock.acquire({ timeout: '20s' });
    }
    expect(lock.isHeld).toBe(true);
    await lock.release();
  });
});

describeEach(
  'a process that holds a lease on a named lock',
  (engine) => {
    const bench = useWorkbench(engine);

    test('renews it while it lives', async () => {
      const holder = ChildProcess.start(HOLDER, { CONFIG: JSON.stringify({ engine, url: bench.database.url }) });
      await holder.nextMessage();
      const [before] = await bench.rows(TableQueueLock);
      await waitFor('it has renewed it', async () => {
        const [now] = await bench.rows(TableQueueLock);
        return now!.holder === before!.holder && now!.leaseUntil > before!.leaseUntil;
      });
      await holder.end('SIGKILL');
    });
  },
  ['sqlite'],
);

describeEach(
  'a connection with a named lock that falls silent',
  (engine) => {
    const bench = useWorkbench(engine);

    test('is noticed by the holder before the server frees the lock', async () => {
      const proxy = new FaultProxy(new URL(bench.database.url));
      await proxy.open();
      const dataSource = await new DataSource(connectionOptions(engine, proxy.url)).initialize();
      const lock = new TableQueue(dataSource).lock('report');
      await lock.acquire();
      proxy.silence();
      await waitFor('the holder is notified', () => lock.signal?.aborted);
      expect(lock.signal?.reason).toBeInstanceOf(LockLostError);
      expect(await bench.queue.lock('report').tryLock()).toBe(false);
      expect(await lock.release()).toBe(false);
      await proxy.close();
      await bench.queue.lock('report').withLock(() => undefined);
      await dataSource.destroy();
    });
  },
  ['mariadb', 'mysql'],
);
