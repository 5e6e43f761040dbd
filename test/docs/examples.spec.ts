import { pathToFileURL } from 'node:url';

import { beforeAll, describe, expect, jest, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { startNestApp } from '../support/nest-app.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';
import { compileExamples, findExamples, useEngine } from './examples.js';

const FOLDER = 'examples';
const DOCUMENTS = [
  'README.md',
  'packages/*/README.md',
  'CONTRIBUTING.md',
  'docs/guides/dashboard.md',
  'docs/start/install.md',
];

/** For a program to start on a busy machine, in ms. */
const PATIENCE = 60_000;
jest.setTimeout(PATIENCE + 30_000);

const examples = await findExamples(FOLDER, DOCUMENTS);
const fileOf = (document: string, text: string) =>
  examples.find((example) => example.document === document && example.code.includes(text))?.file ?? '';

beforeAll(() => compileExamples(FOLDER, examples));

describe('the samples in READMEs', () => {
  test('are all run below', () => {
    expect(examples.map(({ document, code }) => `${document}: ${code.split('\n', 1)[0]}`)).toEqual([
      'README.md: // main.ts',
      'docs/guides/dashboard.md: // dashboard.module.ts',
      'docs/start/install.md: // add-table-queue.ts',
      expect.stringMatching(/^packages\/dashboard\/README.md: import \{/),
      "packages/nestjs/README.md: import 'reflect-metadata';",
      expect.stringMatching(/^packages\/typeorm\/README.md: import \{/),
    ]);
  });

  test('the queue without Nest', async () => {
    const program = ChildProcess.start(pathToFileURL(fileOf('packages/typeorm/README.md', 'jobHandler(')));
    await waitFor('it greets', () => program.output.includes('Hello, Ada! (attempt 1)') || program.hasEnded, PATIENCE);
    program.signal('SIGTERM');
    await program.ended();
    expect(program.output).toBe('Hello, Ada! (attempt 1)\n');
  });

  test('the queue in Nest', async () => {
    const program = ChildProcess.start(pathToFileURL(fileOf('packages/nestjs/README.md', '@QueueHandler(')));
    await waitFor('it greets', () => program.output.includes('Hello, Ada! (attempt 1)') || program.hasEnded, PATIENCE);
    // Nest closes the application, and then the signal ends the process.
    await program.end('SIGTERM');
    expect(program.output).toBe('Hello, Ada! (attempt 1)\n');
  });

  test.each([
    ['docs/guides/dashboard.md', 'AdminModule'],
    ['packages/dashboard/README.md', 'AppModule'],
  ])('the dashboard of %s rejects requests without a signed-in user', async (document, name) => {
    const database = await createDatabase('sqlite');
    const module = (await import(fileOf(document, 'DashboardModule.forRoot'))) as Record<string, new () => object>;
    const app = await startNestApp(database, { imports: [module[name]!] });
    await app.listen(0, '127.0.0.1');
    const response = await fetch(`${await app.getUrl()}/queues/api/me`);
    expect(response.status).toBe(403);
    await app.close();
    await database.drop();
  });
});

describeEach('the samples on a server', (engine) => {
  const database = useDatabase(engine, createEmptyDatabase);

  test('the sample of README', async () => {
    const file = fileOf('README.md', '// main.ts');
    await useEngine(file, engine);
    const program = ChildProcess.start(pathToFileURL(file), { DATABASE_URL: database.url });
    try {
      const mail = /mail "order" to ada@example.com, attempt 1/;
      await waitFor('the mail', () => mail.test(program.output) || program.hasEnded, PATIENCE);
      expect(program.output).toMatch(mail);
    } finally {
      await program.end('SIGTERM');
    }
  });

  test('the migration of docs/start/install.md', async () => {
    const module = (await import(fileOf('docs/start/install.md', 'MigrationInterface'))) as Record<
      string,
      new () => never
    >;
    const dataSource = await database.connect({ migrations: Object.values(module), entities: [] });
    await dataSource.query('DROP TABLE IF EXISTS tq_job');
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT COUNT(*) AS jobs FROM tq_job')).toHaveLength(1);
    await dataSource.undoLastMigration();
    await expect(dataSource.query('SELECT COUNT(*) AS jobs FROM tq_job')).rejects.toThrow(/tq_job/);
  });
});
