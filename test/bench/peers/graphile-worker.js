import { Pool } from 'pg';

import { BULK, inChunks } from '../../dist/bench/in-chunks.js';
import { vacuum } from './vacuum.js';

// It is read when the module is loaded: no line is written for each job, as in its own performance test.
process.env.NO_LOG_SUCCESS = '1';
const { Logger, makeWorkerUtils, run } = await import('graphile-worker');

const TASK = 'bench';
const CONCURRENCY = 24;

/** The settings of its documentation's chapter on performance: jobs are fetched and completed in batches. */
const preset = {
  worker: {
    concurrentJobs: CONCURRENCY,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') {
        console.error(message);
      }
    }),
  },
};

/** @type {import('../subject.js').SubjectModule['open']} */
export async function open(url) {
  /** @type {import('../subject.js').WorkListener} */
  let listener;
  const pgPool = new Pool({ connectionString: url, max: CONCURRENCY + 1 });
  pgPool.on('error', (error) => console.error(error));
  pgPool.on('connect', (client) => onCompletion(client, () => listener.finished()));
  const utils = await makeWorkerUtils({ preset, pgPool });
  await utils.migrate();
  return {
    async reset() {
      await pgPool.query('DROP SCHEMA graphile_worker CASCADE');
      await utils.migrate();
    },
    async enqueueMany(payloads) {
      await inChunks(payloads, BULK, (chunk) => utils.addJobs(chunk.map((payload) => ({ identifier: TASK, payload }))));
    },
    settle: () => vacuum(url),
    async enqueue(payload) {
      await utils.addJob(TASK, payload);
    },
    async work(told) {
      listener = told;
      const taskList = { [TASK]: async (/** @type {any} */ payload) => listener.started(payload) };
      const runner = await run({ preset, pgPool, taskList, noHandleSignals: true });
      return () => runner.stop();
    },
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}

/**
 * Its events know of no such moment: with batches, `job:complete` comes when a job is put into a batch, before that is
 * written. So its connections are watched for the statements that delete done jobs.
 *
 * @param {any} client
 * @param {() => void} finished
 */
function onCompletion(client, finished) {
  const query = client.query.bind(client);
  client.query = async (/** @type {any[]} */ ...args) => {
    const result = await query(...args);
    if (args[0].name?.startsWith('complete_job')) {
      for (let job = 0; job < result.rowCount; job++) {
        finished();
      }
    }
    return result;
  };
}
