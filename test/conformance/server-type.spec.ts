import { expect, test } from '@jest/globals';
import { TableQueue, TableQueueWorker } from '@tablequeue/typeorm';

import { commandUrl } from '../support/command-line.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useWorkbench } from '../support/use-workbench.js';

describeEach(
  'a data source whose type is not that of its server',
  (engine) => {
    const bench = useWorkbench(engine);
    const [right, wrong] = engine === 'mysql' ? (['mysql', 'mariadb'] as const) : (['mariadb', 'mysql'] as const);

    test.each([right, wrong])('is named when a worker starts: %s', async (type) => {
      const logger = new RecordingLogger();
      const worker = new TableQueueWorker(new TableQueue(await bench.database.connect({ type }), { logger }), []);
      await worker.start();
      await worker.stop();
      const warning = expect.stringMatching(`the type "${wrong}".*Set type: '${right}'`);
      expect(logger.lines).toEqual(type === wrong ? [warning] : []);
    });

    test('is named by the doctor', async () => {
      const url = commandUrl(bench.database).replace(/^\w+:/, '');
      const { by } = await doctor(`${wrong}:${url}`);
      expect(by.version).toMatchObject({
        status: 'warning',
        change: [expect.stringContaining(`Set type: '${right}' in the options of the data source.`)],
      });
      expect((await doctor(`${right}:${url}`)).by.version).toMatchObject({ status: 'ok' });
    });
  },
  ['mariadb', 'mysql'],
);
