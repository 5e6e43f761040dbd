import { expect, test } from '@jest/globals';
import type { QueueNames, QueuePage, QueueRow } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';

import { statementsOf } from '../support/statements.js';
import { waitFor } from '../support/wait-for.js';
import type { Api } from './api-application.js';

const MINUTE = 60_000;
/** Queues without a worker: how many ready jobs each has, and how many minutes the oldest has been due. */
const IMPORTS = [
  ['import-1', 1, 30],
  ['import-2', 3, 20],
  ['import-10', 2, 10],
] as const;

/** Tests of the list of queues. */
export function queueListTests(api: Api): void {
  const enqueueImports = async (): Promise<void> => {
    for (const [queue, count, age] of IMPORTS) {
      const definition = defineJob(queue, { queue });
      const runAt = new Date(Date.now() - age * MINUTE);
      await api.queue.enqueueMany(
        definition,
        Array.from({ length: count }, () => ({ runAt })),
      );
    }
    await api.queue.control.pause('import-10');
    await waitFor('the queues were read again', async () => {
      const { matching, inTrouble } = await api.app.read<QueuePage>('queues');
      // With the queue that the application works on.
      return matching === 4 && inTrouble === 3;
    });
  };
  const names = async (query: string) => {
    const { queues, offset, matching } = await api.app.read<QueuePage>(`queues?${query}`);
    return [queues.map(({ queue }) => queue), offset, matching];
  };

  test('queues are listed page by page, filtered, and sorted with null last', async () => {
    await enqueueImports();
    expect(await names('limit=2')).toEqual([['import-1', 'import-2'], 0, 4]);
    expect(await names('limit=2&offset=2')).toEqual([['import-10', 'work'], 2, 4]);
    expect(await names('offset=4')).toEqual([[], 4, 4]);
    expect(await names('contains=IMPORT-1')).toEqual([['import-1', 'import-10'], 0, 2]);
    expect(await names('trouble=true&descending=true')).toEqual([['import-10', 'import-2', 'import-1'], 0, 3]);
    expect(await names('problem=paused-queues')).toEqual([['import-10'], 0, 1]);
    expect(await names('sort=ready&descending=true&limit=3')).toEqual([['import-2', 'import-10', 'import-1'], 0, 4]);
    expect(await names('sort=oldestReady')).toEqual([['import-10', 'import-2', 'import-1', 'work'], 0, 4]);
    expect(await names('sort=oldestReady&descending=true')).toEqual([
      ['import-1', 'import-2', 'import-10', 'work'],
      0,
      4,
    ]);
    expect(await api.app.read<QueueNames>('queue-names')).toEqual({
      names: ['import-1', 'import-2', 'import-10', 'work'],
      hasMore: false,
    });
    for (const query of ['limit=101', 'limit=0', 'offset=-1', 'sort=spark', 'problem=none']) {
      expect([query, (await api.app.get(`queues?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test('one queue is shown as in the list, and an unknown one is not found', async () => {
    await enqueueImports();
    const row = await api.app.read<QueueRow>('queues/import-10');
    expect(row).toMatchObject({
      counts: { ready: { count: 2 } },
      pausedAt: expect.any(Number),
      failureRate: null,
      latency: null,
      workers: 0,
      problems: ['paused-queues'],
    });
    expect(row.spark).toEqual(Array<number>(60).fill(0));
    expect(await api.app.get('queues/import-3')).toMatchObject({
      status: 404,
      body: { type: 'tablequeue:not-found', detail: 'There is no queue "import-3".' },
    });
  });

  test('a new queue is found at once, although the queues were read before its first job', async () => {
    await api.app.read('queues');
    await api.queue.enqueue(defineJob('first', { queue: 'new' }), undefined, { delay: '1h' });
    expect(await api.app.read<QueueRow>('queues/new')).toMatchObject({ counts: { scheduled: { count: 1 } } });
  });

  test('an unknown queue costs no further read of all queues', async () => {
    await waitFor('it is not found while the read is shared', async () => {
      await api.app.read('queues');
      const sent = await statementsOf(api.queue, () => api.app.get('queues/unknown'));
      return sent.length === 1 && sent[0]?.parameters.join() === 'unknown';
    });
  });

  test('the throughput by minute is read only for the queues of the page', async () => {
    await enqueueImports();
    await waitFor('the rows are read while the overview is shared', async () => {
      await api.app.read('overview');
      const sent = await statementsOf(api.queue, () => api.app.read('queues?limit=2'));
      const [read, ...others] = sent.filter(({ sql }) => sql.includes('tq_throughput'));
      return others.length === 0 && read?.parameters.slice(1).join() === 'import-1,import-2';
    });
  });
}
