import { configureLogger, Job, Sidequest } from 'sidequest';

import { inChunks } from '../../dist/bench/in-chunks.js';

const CONNECTIONS = 20;

/** @type {import('../subject.js').WorkListener} */
let listener;

/** Sidequest imports this module to find it. */
export class BenchJob extends Job {
  /** @param {import('../subject.js').BenchPayload} payload */
  run(payload) {
    listener.started(payload);
  }
}

/** @type {import('../subject.js').SubjectModule['open']} */
export async function open(url) {
  const config = configure(url);
  configureLogger({ level: 'warn', json: false });
  await Sidequest.configure(config);
  return {
    async reset() {
      await Sidequest.getBackend()?.truncate();
    },
    async enqueueMany(payloads) {
      // There is nothing for several at once, but a connection for each.
      await inChunks(payloads, { size: 1, concurrency: CONNECTIONS }, ([payload]) => enqueue(payload));
    },
    async enqueue(payload) {
      await enqueue(payload);
    },
    async work(told) {
      listener = told;
      onCompletion(Sidequest.getBackend(), () => told.finished());
      await Sidequest.start(config);
      return async () => {
        // This stops the enqueueing as well.
        await Sidequest.stop();
        await Sidequest.configure(config);
      };
    },
    close: () => Sidequest.stop(),
  };
}

/** @param {import('../subject.js').BenchPayload} payload */
function enqueue(payload) {
  return Sidequest.build(BenchJob).enqueue(payload);
}

/**
 * @param {string} connection
 * @returns {import('sidequest').SidequestConfig<'@sidequest/mysql-backend'>}
 */
function configure(connection) {
  return {
    backend: { driver: '@sidequest/mysql-backend', config: { connection, pool: { min: 2, max: CONNECTIONS } } },
    // From its documentation's setup for high throughput. Looking for jobs more often gains nothing: each look reads all
    // waiting jobs.
    queues: [{ name: 'default', concurrency: 100 }],
    maxConcurrentJobs: 100,
    jobPollingInterval: 50,
    // In this process and thread: the lightest of its ways to run a job, and the only one where the bench can see it.
    fork: false,
    runner: 'inline',
    manualJobResolution: true,
    jobsFilePath: import.meta.url,
    logger: { level: 'warn' },
    dashboard: { enabled: false },
    gracefulShutdown: false,
  };
}

/**
 * It has no event for done jobs. So its backend is watched for the update that makes a job one.
 *
 * @param {any} backend
 * @param {() => void} finished
 */
function onCompletion(backend, finished) {
  const update = backend.updateJobIfCurrent.bind(backend);
  backend.updateJobIfCurrent = async (/** @type {any[]} */ ...args) => {
    const job = await update(...args);
    if (job?.state === 'completed') {
      finished();
    }
    return job;
  };
}
