import { expect, test } from '@jest/globals';
import { TableQueueJob } from '@tablequeue/typeorm';

import { commandUrl, tablequeue } from '../support/command-line.js';
import { describeEach } from '../support/each-engine.js';
import { useWorkbench } from '../support/use-workbench.js';
import { importAsJson } from './import-command.js';
import { PEERS } from './install-peers.js';
import { useBullRedis } from './peers.js';

/**
 * Kills the process when the answer to its n-th message arrives that changes something in Redis or in the database.
 * What is stored is then the same as before the next one. It counts from the first script in Redis.
 */
const killAt = (number: number) => `
  import { Socket } from 'node:net';
  const write = Socket.prototype.write;
  const kill = () => process.kill(process.pid, 'SIGKILL');
  let seen = 0;
  Socket.prototype.write = function (data, ...rest) {
    const text = String(data);
    if (/eval\\r\\n/.test(text) || (seen > 0 && /INSERT|UPDATE|COMMIT/.test(text))) {
      seen++;
      if (seen === ${number}) {
        this.prependOnceListener('data', kill);
      }
    }
    return write.call(this, data, ...rest);
  };`;

const inOrder = (a: string, b: string) => a.localeCompare(b);

// One database: the import writes to each through the same statements, and SQLite has no socket to count on.
describeEach(
  'import, killed',
  (engine) => {
    const bull = useBullRedis();
    const bench = useWorkbench(engine);

    async function fill(): Promise<void> {
      const mail = bull.queue('bullmq', 'mail');
      await mail.addBulk([
        { name: 'send', data: 1 },
        { name: 'send', data: 2, opts: { delay: 1e9 } },
      ]);
      await mail.upsertJobScheduler('nightly', { pattern: '0 3 * * *' }, { name: 'report', data: { kind: 'sales' } });
      const children = [{ name: 'child', queueName: 'mail', data: 3 }];
      await bull.flows('bullmq').add({ name: 'parent', queueName: 'mail', data: 4, children });
      await bull.closeAll();
    }

    const payloads = async () => {
      const jobs = await bench.dataSource.getRepository(TableQueueJob).find();
      return jobs.map(({ payload }) => payload ?? '').toSorted(inOrder);
    };
    const inRedis = async () => {
      const hashes = (await bull.redis.keys('bull:mail:*')).filter((key) => /:(\d+|[-0-9a-f]{36})$/.test(key));
      const jobs = await Promise.all(hashes.map((key) => bull.redis.hgetall(key)));
      return jobs.flatMap(({ data }) => (data !== undefined && /^\d$/.test(data) ? [data] : []));
    };

    test('a move that is killed after any change is continued, and each job is there once', async () => {
      let kills = 0;
      for (let number = 1; ; number++) {
        await bull.empty();
        await bench.reset();
        await bench.dataSource.query('DROP TABLE IF EXISTS tq_imported');
        await fill();
        const args = ['import', '--from', 'bullmq', '--redis', bull.url, '--move'];
        const environment = { TABLEQUEUE_URL: commandUrl(bench.database) };
        const { code, err } = await tablequeue(args, {
          environment,
          folder: PEERS,
          before: killAt(number),
          timeout: 120_000,
        });
        if (code === 0) {
          break;
        }
        expect({ code, err }).toEqual({ code: -1, err: '' });
        kills++;
        // Nothing is lost before the next run.
        expect([...new Set([...(await payloads()), ...(await inRedis())])].toSorted(inOrder)).toEqual([
          '1',
          '2',
          '3',
          '4',
        ]);
        await importAsJson(bull, bench.database, ['--move']);
        expect(await payloads()).toEqual(['1', '2', '3', '4']);
        expect(await inRedis()).toEqual([]);
        expect((await bull.redis.keys('bull:*')).filter((key) => key.includes('import'))).toEqual([]);
        expect((await bench.queue.recurring.list()).map(({ name }) => name)).toEqual(['mail.nightly']);
      }
      // The schedule, the flow and the other jobs: each is taken and forgotten.
      expect(kills).toBeGreaterThanOrEqual(6);
    }, 300_000);
  },
  ['mysql'],
);
