import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { TableQueue, TableQueueWorker, defineJob, upTableQueue } from '@tablequeue/typeorm';

import { commandUrl } from '../support/command-line.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useWorkbench } from '../support/use-workbench.js';

const consoleWarn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
beforeEach(() => void consoleWarn.mockClear());
afterAll(() => consoleWarn.mockRestore());

describeEach(
  'a data source whose type is not that of its server',
  (engine) => {
    const bench = useWorkbench(engine);
    const [right, wrong] = engine === 'mysql' ? (['mysql', 'mariadb'] as const) : (['mariadb', 'mysql'] as const);

    const warning = expect.stringMatching(`the type "${wrong}".*Set type: '${right}'`);

    test.each([right, wrong])('is named once, also where nothing but enqueueing is done: %s', async (type) => {
      const logger = new RecordingLogger();
      const dataSource = await bench.database.connect({ type });
      const queue = new TableQueue(dataSource, { logger });
      expect(logger.lines).toEqual(type === wrong ? [warning] : []);
      const worker = new TableQueueWorker(new TableQueue(dataSource, { logger }), []);
      await worker.start();
      await queue.enqueue(defineJob('unhandled'));
      await worker.stop();
      expect(logger.lines).toHaveLength(type === wrong ? 1 : 0);
    });

    test.each([right, wrong])('is named by a migration: %s', async (type) => {
      const dataSource = await bench.database.connect({ type });
      const queryRunner = dataSource.createQueryRunner();
      await upTableQueue(queryRunner, { from: 1, to: 1 });
      await upTableQueue(queryRunner, { from: 1, to: 1 });
      await queryRunner.release();
      expect(consoleWarn.mock.calls).toEqual(type === wrong ? [[warning]] : []);
    });

    test('is named by the doctor', async () => {
      const url = commandUrl(bench.database).replace(/^\w+:/, '');
      const { by } = await doctor(`${wrong}:${url}`);
      expect(by.version).toMatchObject({
        status: 'warning',
        change: [expect.stringContaining(`Set type: '${right}' in the options of the data source.`)],
      });
      expect((await doctor(`${right}:${url}`)).by.version).toMatchObject({ status: 'ok' });
      // The commands that do not examine the server accept both schemes.
      expect(consoleWarn).not.toHaveBeenCalled();
    });
  },
  ['mariadb', 'mysql'],
);
