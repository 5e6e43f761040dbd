import { expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';
import { TableQueueWorkerRow } from '@tablequeue/typeorm/internal';

import { describeEach } from '../support/each-engine.js';
import { heldHandler } from '../support/held-handler.js';
import { useWorkbench } from '../support/use-workbench.js';
import { waitFor } from '../support/wait-for.js';

const long = defineJob('long');

describeEach('how a live worker is detected', (engine) => {
  const bench = useWorkbench(engine);

  async function isLockHeld(name: string): Promise<boolean> {
    const [row] = (await bench.dataSource.query('SELECT IS_FREE_LOCK(?) AS free', [name])) as { free: string }[];
    return Number(row?.free) === 0;
  }

  test('a worker holds its own lock on servers with named locks, and frees it when it stops', async () => {
    const worker = await bench.work([]);
    await bench.work([]);
    const rows = await bench.rows(TableQueueWorkerRow);
    if (engine === 'sqlite') {
      expect(rows.map(({ lockName, lockServer }) => lockName ?? lockServer)).toEqual([null, null]);
      return;
    }
    expect(new Set(rows.map(({ lockName }) => lockName)).size).toBe(2);
    expect(new Set(rows.map(({ lockServer }) => lockServer)).size).toBe(1);
    expect(rows[0]!.lockServer).toBeGreaterThan(0);
    expect(await Promise.all(rows.map(({ lockName }) => isLockHeld(lockName!)))).toEqual([true, true]);
    const own = rows.find(({ id }) => id === worker['liveness'].lease.owner)!;
    await worker.stop();
    await waitFor('its lock is free', async () => !(await isLockHeld(own.lockName!)));
    expect(await bench.rows(TableQueueWorkerRow)).toHaveLength(1);
    expect(bench.logger.lines).toEqual([]);
  });

  test('only by its lease, with liveness: lease', async () => {
    await bench.work([], { liveness: 'lease' });
    expect(await bench.rows(TableQueueWorkerRow)).toMatchObject([{ lockName: null, lockServer: null }]);
  });

  test('no worker is reaped that holds a lock, or has none', async () => {
    const { runs, handler } = heldHandler(long);
    const workers = [await bench.work([handler]), await bench.work([handler], { liveness: 'lease' })];
    const { id } = await bench.queue.enqueue(long);
    await waitFor('it runs', () => runs.length === 1);
    const ids = (await bench.rows(TableQueueWorkerRow)).map((row) => row.id);
    for (const { reaper } of workers) {
      expect(await reaper.reapMissing(ids)).toEqual([]);
      expect(await reaper.reapMissing([])).toEqual([]);
    }
    runs[0]!.end();
    expect(await bench.untilJobIs(id, 'succeeded')).toMatchObject({ attempt: 1 });
  });
});
