import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import getPort from 'get-port';
import mysql from 'mysql2/promise';
import { parse } from 'yaml';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { type Manifest, type PackedPackage, ROOT, packAll } from './published-packages.js';
import { RunningCommand, runToTheEnd } from './terminal.js';

/** Each example installs its packages and compiles. */
jest.setTimeout(300_000);

const EXAMPLES = join(ROOT, 'examples');
const NAMES = ['express-mariadb', 'nest-mysql', 'nextjs', 'prisma', 'saga', 'tenants'];
/** What a reader of an example leaves in its folder. */
const NOT_COPIED = new Set(['node_modules', 'dist', 'generated', '.next', 'next-env.d.ts']);

/** The parts of compose.yaml that an example's URL depends on. */
interface Compose {
  readonly services: {
    readonly database: {
      readonly image: string;
      readonly environment: Readonly<Record<string, string>>;
      readonly ports: readonly string[];
    };
  };
}

let home: string;
let packed: readonly PackedPackage[];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tablequeue-examples-'));
  packed = await packAll(home);
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The tarballs of our packages that a package needs, and that these need. */
function tarballsFor({ dependencies = {} }: Manifest): string[] {
  const needed = packed.filter(({ manifest }) => manifest.name in dependencies);
  return [...new Set(needed.flatMap(({ manifest, tarball }) => [tarball, ...tarballsFor(manifest)]))];
}

/** Installs an example in a folder of its own, as its README shows. */
async function install(name: string, environment: NodeJS.ProcessEnv): Promise<(command: string) => Promise<string>> {
  const folder = join(home, name);
  const filter = (file: string) => !NOT_COPIED.has(basename(file));
  await cp(join(EXAMPLES, name), folder, { recursive: true, filter });
  const run = (command: string) => runToTheEnd(command, { folder, environment });
  const tarballs = tarballsFor(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest);
  await run(`npm install ${tarballs.join(' ')} --ignore-scripts --no-audit --no-fund --prefer-offline`);
  return run;
}

const environmentOf = (database: TestDatabase, more: Record<string, string> = {}): NodeJS.ProcessEnv => {
  const { NODE_ENV: _ours, NODE_OPTIONS: _alsoOurs, JEST_WORKER_ID: _too, ...inherited } = process.env;
  return { ...inherited, NO_COLOR: '1', DATABASE_URL: database.url, ...more };
};

/** Waits until a program prints a text. */
async function untilPrinted(text: string, program: RunningCommand): Promise<void> {
  const isOver = () => program.output.includes(text) || program.hasEnded;
  // The assertion shows what it has printed.
  await waitFor(text, isOver, 120_000).catch(() => undefined);
  expect(program.output).toContain(text);
}

const placeOrder = (port: number, path = 'orders') =>
  fetch(`http://localhost:${port}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{ "email": "ada@example.com" }',
  });

const RECEIPT = 'receipt of order 1 to ada@example.com, attempt 1';

/** Starts the server and the worker of an example, and expects that an order of the server is handled. */
async function expectHandledOrder(
  name: string,
  environment: NodeJS.ProcessEnv,
  ready: string,
  order: () => Promise<Response>,
): Promise<void> {
  const start = (script: string) =>
    RunningCommand.start(`npm run ${script}`, { folder: join(home, name), environment });
  const [server, worker] = [start('start'), start('start:worker')];
  try {
    await untilPrinted(ready, server);
    await untilPrinted('has started', worker);
    const response = await order();
    expect([response.status, await response.json()]).toEqual([201, { id: 1, email: 'ada@example.com' }]);
    await untilPrinted(RECEIPT, worker);
  } finally {
    await Promise.all([server, worker].map((each) => each.end()));
  }
}

test('every example is run below', async () => {
  const entries = await readdir(EXAMPLES, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(NAMES);
});

test.each(NAMES)('compose.yaml of %s starts the server of the default URL', async (name) => {
  const read = (file: string) => readFile(join(EXAMPLES, name, file), 'utf8');
  const sources = (await readdir(join(EXAMPLES, name, 'src'))).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(['README.md', ...sources.map((file) => `src/${file}`)].map(read));
  const urls = new Set(texts.join('\n').match(/\b(mysql|mariadb):\/\/[^\s'"`]+/g));

  const { image, environment, ports } = (parse(await read('compose.yaml')) as Compose).services.database;
  const product = image.startsWith('mariadb:') ? 'MARIADB' : 'MYSQL';
  const account = `root:${environment[`${product}_ROOT_PASSWORD`]}`;
  const [port] = ports[0]!.split(':');
  const address = `${account}@localhost:${port}/${environment[`${product}_DATABASE`]}`;
  expect([...urls].map((url) => url.replace(/^\w+:\/\//, ''))).toEqual([address]);
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
        await run('npm run build');
        await run('npm run migrate');
        await expectHandledOrder('express-mariadb', environment, 'http://', () => placeOrder(port));
      });

      test('prisma: an order of a transaction of Prisma is handled by the worker', async () => {
        // Prisma downloads its schema engine from a server of its own, unless it is given a path. Only `prisma migrate`
        // needs the engine, so the test applies the migration without it.
        const environment = environmentOf(database, {
          PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
          CHECKPOINT_DISABLE: '1',
        });
        const folder = join(home, 'prisma');
        const run = await install('prisma', environment);
        await run('npm run build');
        const connection = await mysql.createConnection(database.url);
        const migration = join(folder, 'prisma/migrations/20261129000000_create_order/migration.sql');
        await connection.query(await readFile(migration, 'utf8'));
        await connection.end();
        await run('npx tablequeue migrate');
        // Without the scripts before it, which have run above.
        const worker = RunningCommand.start('npm start --ignore-scripts', { folder, environment });
        try {
          await untilPrinted('the worker has started', worker);
          expect(await run('npm run order -- ada@example.com')).toContain('stored order 1\n');
          await untilPrinted(RECEIPT, worker);
        } finally {
          await worker.end();
        }
      });
    } else {
      test('nest-mysql: an order of the controller is handled, and the dashboard shows its job', async () => {
        const port = await getPort();
        const environment = environmentOf(database, { PORT: String(port) });
        await install('nest-mysql', environment);
        // It also builds the application and runs its migration.
        const application = RunningCommand.start('npm start', { folder: join(home, 'nest-mysql'), environment });
        const dashboard = (path: string) => fetch(`http://localhost:${port}/queues/${path}`);
        try {
          await untilPrinted('Nest application successfully started', application);
          // Nest prints that before the port is open.
          const page = await waitFor('the dashboard', () => dashboard('').catch(() => undefined));
          expect(await page.text()).toContain('<title>Tablequeue</title>');
          const response = await placeOrder(port);
          expect([response.status, await response.json()]).toEqual([201, { id: 1, email: 'ada@example.com' }]);
          await untilPrinted(RECEIPT, application);
          const jobs = await waitFor('the job on the dashboard', async () => {
            const found = await dashboard('api/jobs?state=succeeded');
            const { jobs: succeeded } = (await found.json()) as { readonly jobs: readonly object[] };
            return succeeded.length > 0 && succeeded;
          });
          expect(jobs).toMatchObject([{ name: 'receipt.send', attempt: 1 }]);
        } finally {
          await application.end();
        }
      });

      test('nextjs: an order of the API route is handled by the worker', async () => {
        const port = await getPort();
        const environment = environmentOf(database, { PORT: String(port), NEXT_TELEMETRY_DISABLED: '1' });
        const run = await install('nextjs', environment);
        await run('npm run migrate');
        await run('npm run build');
        await expectHandledOrder('nextjs', environment, 'Ready', () => placeOrder(port, 'api/orders'));
      });

      test('saga: the payment of an order that cannot be shipped is refunded', async () => {
        const run = await install('saga', environmentOf(database));
        await run('npm run build');
        const printed = await run('npm start');
        expect(printed).toContain('paid 1900 cents\nrefunded the payment\nthe order is cancelled\n');
      });

      test('tenants: a small customer does not wait for a large one', async () => {
        const run = await install('tenants', environmentOf(database));
        await run('npm run build');
        const printed = await run('npm start');
        expect(printed).toMatch(/the small customer was number [12]\n/);
        expect(printed).toMatch(/at most [12] exports of a customer at a time/);
      });
    }
  },
  ['mariadb', 'mysql'],
);
