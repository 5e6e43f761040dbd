import { Redis } from 'ioredis';

import { openBullMQ } from './bullmq.js';

/** @type {import('../subject.js').SubjectModule['open']} */
export async function open(url) {
  return openBullMQ({
    connection: { url },
    // "Between 100 and 300 is a quite standard setting". Neither more nor a second worker is faster here.
    concurrency: 100,
    async erase() {
      const redis = new Redis(url);
      await redis.flushdb();
      await redis.quit();
    },
  });
}
