import { beforeAll, expect, test } from '@jest/globals';
import {
  DatabaseUnavailableError,
  StatementTooLargeError,
  TableQueue,
  TableQueueWorker,
  defineJob,
  jobHandler,
} from '@tablequeue/typeorm';

import { type Engine, ENGINES } from '../servers/engines.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';

const MIB = 1024 * 1024;
const large = defineJob<string>('large', { retry: { attempts: 1 } });

const SERVERS: readonly Engine[] = ENGINES.filter((engine) => engine !== 'sqlite');

describeEach(
  'a payload that the queue allows and the server does not',
  (engine) => {
    const bench = useWorkbench(engine);
    let queue: TableQueue;
    let payload: string;
    beforeAll(async () => {
      queue = new TableQueue(bench.dataSource, { maxPayloadBytes: 200 * MIB });
      const [row] = (await bench.dataSource.query('SELECT @@max_allowed_packet AS bytes')) as { bytes: string }[];
      payload = 'x'.repeat(Number(row?.bytes) + 1000);
    });

    /** The server refuses it, and closes the connection: sometimes that is all that is seen of it. */
    function expectRefusal(error: unknown): void {
      expect([StatementTooLargeError, DatabaseUnavailableError]).toContain((error as Error).constructor);
      expect(String(error)).toMatch(/max_allowed_packet|EPIPE|ECONNRESET|closed/);
      expect(JSON.stringify(Object.values(error as object)).length).toBeLessThan(10_000);
    }

    test('is refused outside a transaction and in one, and the next call finds a connection that works', async () => {
      for (let round = 0; round < 3; round++) {
        expectRefusal(await queue.enqueue(large, payload).catch((error: unknown) => error));
        expect(await queue.enqueue(large, 'small')).toMatchObject({ created: true });
      }
      const inTransaction = bench.dataSource.transaction((manager) => queue.enqueue(large, payload, { manager }));
      expectRefusal(await inTransaction.catch((error: unknown) => error));
      expect((await bench.liveJobs()).map((job) => job.payload)).toEqual(['"small"', '"small"', '"small"']);
    });

    test('a result that is too large is omitted, and the job succeeds', async () => {
      const { id } = await queue.enqueue(large, 'small');
      const worker = new TableQueueWorker(queue, [jobHandler(large, () => payload)], {
        logger: bench.logger,
        maintenance: false,
      });
      await worker.start();
      expect(await queue.waitFor(id, { timeout: '50s' })).toBeUndefined();
      await worker.stop();
      expect((await bench.finishedJobs())[0]).toMatchObject({ state: 'succeeded', result: null });
    });
  },
  SERVERS,
);
