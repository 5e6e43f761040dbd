import { createPostgresBackend, runMigrations } from 'bullmq';
import { Client } from 'pg';

import { openBullMQ } from './bullmq.js';
import { vacuum } from './vacuum.js';

/** @type {import('../subject.js').SubjectModule['open']} */
export async function open(url) {
  await withClient(url, runMigrations);
  const queue = openBullMQ({
    // Its pool has 10 connections by default: enough for the concurrency.
    connection: { connectionString: url },
    create: createPostgresBackend,
    // Its documentation has the same rate from 8 to 32. With few cores, the lower the better.
    concurrency: 8,
    async erase() {
      await withClient(url, async (client) => {
        await client.query('DROP SCHEMA bullmq CASCADE');
        await runMigrations(client);
      });
    },
  });
  return { ...queue, settle: () => vacuum(url) };
}

/**
 * @param {string} url
 * @param {(client: Client) => Promise<unknown>} use
 */
async function withClient(url, use) {
  const client = new Client(url);
  await client.connect();
  await use(client);
  await client.end();
}
