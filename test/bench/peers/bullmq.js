import { Queue, Worker } from 'bullmq';

import { BULK, inChunks } from '../../dist/bench/in-chunks.js';

const QUEUE = 'bench';
const JOB = 'job';

/**
 * What its two backends have in common.
 *
 * @param {object} backend
 * @param {import('bullmq').QueueOptions['connection']} backend.connection
 * @param {any} [backend.create] Redis, if left out.
 * @param {number} backend.concurrency Jobs that the worker has in hand at once.
 * @param {() => Promise<void>} backend.erase Removes all that is stored.
 * @returns {import('../subject.js').Subject}
 */
export function openBullMQ({ connection, create, concurrency, erase }) {
  // Its documentation recommends removing done jobs wherever they are not needed.
  const connect = () => new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } }, create);
  let queue = connect();
  return {
    async reset() {
      await queue.close();
      await erase();
      queue = connect();
    },
    async enqueueMany(payloads) {
      // "Batched and concurrent" is how its documentation adds the most jobs; more than two at once gain nothing.
      await inChunks(payloads, BULK, (chunk) => queue.addBulk(chunk.map((data) => ({ name: JOB, data }))));
    },
    async enqueue(payload) {
      await queue.add(JOB, payload);
    },
    async work(listener) {
      const worker = new Worker(QUEUE, async (job) => listener.started(job.data), { connection, concurrency }, create);
      // It comes after the backend has answered that the job is done.
      worker.on('completed', () => listener.finished());
      return () => worker.close();
    },
    close: () => queue.close(),
  };
}
