import { Client } from 'pg';
import { PgBoss } from 'pg-boss';

import { BULK, inChunks } from '../../dist/bench/in-chunks.js';
import { vacuum } from './vacuum.js';

const QUEUE = 'bench';

/** @type {import('../subject.js').SubjectModule['open']} */
export async function open(url) {
  /** @type {import('../subject.js').WorkListener} */
  let listener;
  const start = async () => {
    // With notifications a worker that waits is woken by a new job, instead of looking for one every other second.
    const boss = new PgBoss({ connectionString: url, useListenNotify: true });
    boss.on('error', (error) => console.error(error));
    await boss.start();
    await boss.createQueue(QUEUE, { notify: true });
    onCompletion(boss.getDb(), () => listener.finished());
    return boss;
  };
  let boss = await start();
  return {
    async reset() {
      await boss.stop();
      const client = new Client(url);
      await client.connect();
      await client.query('DROP SCHEMA pgboss CASCADE');
      await client.end();
      boss = await start();
    },
    async enqueueMany(payloads) {
      await inChunks(payloads, BULK, (chunk) =>
        boss.insert(
          QUEUE,
          chunk.map((data) => ({ data })),
        ),
      );
    },
    settle: () => vacuum(url),
    async enqueue(payload) {
      await boss.send(QUEUE, payload);
    },
    async work(told) {
      listener = told;
      // Two workers, so that one fetches while the other completes. They do not pause while batches come back full.
      const options = { batchSize: 1000, localConcurrency: 2, burstWhenBatchFull: true };
      await boss.work(QUEUE, options, async (/** @type {any[]} */ jobs) => {
        for (const { data } of jobs) {
          listener.started(data);
        }
      });
      return () => boss.offWork(QUEUE);
    },
    close: () => boss.stop(),
  };
}

const COMPLETION = /SET completed_on = \S+,\s+state = 'completed'/;

/**
 * It has no event for done jobs: it completes them after the handler has returned, without a notice. So its database is
 * watched for that statement, which answers with the count of jobs.
 *
 * @param {ReturnType<PgBoss['getDb']>} database
 * @param {() => void} finished
 */
function onCompletion(database, finished) {
  const executeSql = database.executeSql.bind(database);
  database.executeSql = async (text, ...rest) => {
    const result = await executeSql(text, ...rest);
    if (COMPLETION.test(text)) {
      for (let job = 0; job < Number(result.rows[0].count); job++) {
        finished();
      }
    }
    return result;
  };
}
