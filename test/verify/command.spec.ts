import { expect, test } from '@jest/globals';
import type { Verdict } from '@tablequeue/verify';

import { commandUrl, tablequeue } from '../support/command-line.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';

/** In ms. */
const TIMEOUT = 120_000;

/** Runs the command on a database. Returns its result and the tables that it did not drop. */
async function verifyBy(
  database: TestDatabase,
  args: readonly string[],
  options: Parameters<typeof tablequeue>[1] = {},
) {
  const all = ['verify', '--url', commandUrl(database), '--duration', '4s', ...args];
  const result = await tablequeue(all, { timeout: TIMEOUT, ...options });
  const dataSource = await database.connect({ entities: [] });
  const list =
    database.engine === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE name LIKE 'tqv%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
  return { ...result, tablesLeft: await dataSource.query<unknown[]>(list) };
}

describeEach(
  'tablequeue verify',
  (engine) => {
    test('prints a verdict that can be repeated, and drops its tables', async () => {
      const database = await createEmptyDatabase(engine);
      try {
        const { code, out, tablesLeft } = await verifyBy(database, ['--seed', '42', '--jobs', '60', '--json']);
        const verdict = JSON.parse(out) as Verdict;
        expect({ code, broken: verdict.broken, tablesLeft }).toEqual({ code: 0, broken: [], tablesLeft: [] });
        expect(verdict.seed).toBe(42);
        expect(verdict.jobs.enqueued).toBeGreaterThan(0);
      } finally {
        await database.drop();
      }
    }, 180_000);

    test('drops its tables when it is interrupted', async () => {
      const database = await createEmptyDatabase(engine);
      try {
        const { code, err, tablesLeft } = await verifyBy(database, [], {
          onNote: (text, signal) => text.includes('seed') && signal('SIGTERM'),
        });
        expect({ code, tablesLeft }).toEqual({ code: 1, tablesLeft: [] });
        expect(err).toContain('tablequeue: Ended by SIGTERM.');
      } finally {
        await database.drop();
      }
    }, 180_000);
  },
  ['sqlite', 'mariadb'],
);

// SQLite is too slow to break this guarantee within seconds.
describeEach(
  'tablequeue verify of a queue with a fault',
  (engine) => {
    test('exits with 1 if a guarantee is broken, and names the jobs', async () => {
      const database = await createEmptyDatabase(engine);
      const plant = new URL('../dist/verify/planted/plant.js', import.meta.url);
      plant.searchParams.set('name', 'a limit that is not counted');
      try {
        const environment = { NODE_OPTIONS: `--import=${plant.href}` };
        // With this seed no early fault explains the violation.
        const { code, out, tablesLeft } = await verifyBy(database, ['--seed', '7'], { environment });
        expect({ code, tablesLeft }).toEqual({ code: 1, tablesLeft: [] });
        expect(out).toMatch(/^broken {2}limits-kept: .*\n +\d+ jobs \(.*\) ran at the same time.* \[[0-9a-f-]{36}, /m);
      } finally {
        await database.drop();
      }
    }, 180_000);
  },
  ['mariadb'],
);
