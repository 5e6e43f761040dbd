import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import getPort from 'get-port';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { ROOT, packAll } from './published-packages.js';
import { RunningCommand, runToTheEnd } from './terminal.js';

/** Each example installs its packages and compiles. */
jest.setTimeout(300_000);

const EXAMPLES = join(ROOT, 'examples');

let home: string;
let core: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tablequeue-examples-'));
  const packed = await packAll(home);
  core = packed.find(({ manifest }) => manifest.name === '@tablequeue/typeorm')!.tarball;
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Installs and builds an example in a folder of its own, as its README shows. */
async function install(name: string, environment: NodeJS.ProcessEnv): Promise<(command: string) => Promise<string>> {
  const folder = join(home, name);
  await cp(join(EXAMPLES, name), folder, { recursive: true });
  const run = (command: string) => runToTheEnd(command, { folder, environment });
  await run(`npm install ${core} --ignore-scripts --no-audit --no-fund --prefer-offline`);
  await run('npm run build');
  return run;
}

const environmentOf = (database: TestDatabase, more: Record<string, string> = {}): NodeJS.ProcessEnv => {
  const { NODE_ENV: _ours, NODE_OPTIONS: _alsoOurs, JEST_WORKER_ID: _too, ...inherited } = process.env;
  return { ...inherited, DATABASE_URL: database.url, ...more };
};

test('every example is run below', async () => {
  const entries = await readdir(EXAMPLES, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['express-mariadb', 'saga', 'tenants']);
});

describeEach(
  'examples',
  (engine) => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await createEmptyDatabase(engine);
    });
    afterEach(() => database.drop());

    if (engine === 'mariadb') {
      test('express-mariadb: an order of the server is handled by the worker', async () => {
        const port = await getPort();
        const environment = environmentOf(database, { PORT: String(port) });
        const run = await install('express-mariadb', environment);
        await run('npm run migrate');
        const start = (script: string) =>
          RunningCommand.start(`npm run ${script}`, { folder: join(home, 'express-mariadb'), environment });
        const programs = [start('start'), start('start:worker')] as const;
        const [server, worker] = programs;
        try {
          const areStarted = () => server.output.includes('http://') && worker.output.includes('has started');
          await waitFor('both have started', () => areStarted() || programs.some((each) => each.hasEnded), 60_000);
          const response = await fetch(`http://localhost:${port}/orders`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: '{ "email": "ada@example.com" }',
          });
          expect([response.status, await response.json()]).toEqual([201, { id: 1, email: 'ada@example.com' }]);
          await waitFor('the receipt', () =>
            worker.output.includes('receipt of order 1 to ada@example.com, attempt 1'),
          );
        } finally {
          await Promise.all(programs.map((each) => each.end()));
        }
      });
    } else {
      test('saga: the payment of an order that cannot be shipped is refunded', async () => {
        const run = await install('saga', environmentOf(database));
        const printed = await run('npm start');
        expect(printed).toContain('paid 1900 cents\nrefunded the payment\nthe order is cancelled\n');
      });

      test('tenants: a small customer does not wait for a large one', async () => {
        const run = await install('tenants', environmentOf(database));
        const printed = await run('npm start');
        expect(printed).toMatch(/the small customer was number [12]\n/);
        expect(printed).toMatch(/at most [12] exports of a customer at a time/);
      });
    }
  },
  ['mariadb', 'mysql'],
);
