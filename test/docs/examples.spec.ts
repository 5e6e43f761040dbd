import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { startNestApp } from '../support/nest-app.js';
import { waitFor } from '../support/wait-for.js';
import { compileExamples, findExamples } from './examples.js';

const FOLDER = 'examples';
const DOCUMENTS = [
  'README.md',
  'packages/typeorm/README.md',
  'packages/nestjs/README.md',
  'packages/dashboard/README.md',
  'CONTRIBUTING.md',
  'docs/*.md',
  // test/packaging/nestjs-walk.spec.ts does what it says.
  ':!docs/nestjs.md',
  ':!docs/*/**',
];

const examples = await findExamples(FOLDER, DOCUMENTS);
const fileOf = (document: string, text: string) =>
  examples.find((example) => example.document === document && example.code.includes(text))?.file ?? '';

beforeAll(() => compileExamples(FOLDER, examples));

describe('the examples in the documents', () => {
  test('are all run below', () => {
    expect(examples.map(({ document, code }) => `${document}: ${code.split('\n', 1)[0]}`)).toEqual([
      'README.md: // main.ts',
      "README.md: import { downTableQueue, upTableQueue } from '@tablequeue/typeorm';",
      'docs/dashboard.md: // dashboard.module.ts',
      expect.stringMatching(/^packages\/dashboard\/README.md: import \{/),
      "packages/nestjs/README.md: import 'reflect-metadata';",
      expect.stringMatching(/^packages\/typeorm\/README.md: import \{/),
    ]);
  });

  test('the queue without Nest', async () => {
    const program = ChildProcess.start(pathToFileURL(fileOf('packages/typeorm/README.md', 'jobHandler(')));
    await waitFor('it greets', () => program.output.includes('Hello, Ada! (attempt 1)') || program.hasEnded);
    program.signal('SIGTERM');
    await program.ended();
    expect(program.output).toBe('Hello, Ada! (attempt 1)\n');
  });

  test('the queue in Nest', async () => {
    const program = ChildProcess.start(pathToFileURL(fileOf('packages/nestjs/README.md', '@QueueHandler(')));
    await waitFor('it greets', () => program.output.includes('Hello, Ada! (attempt 1)') || program.hasEnded);
    // Nest closes the application and then has the signal end the process.
    await program.end('SIGTERM');
    expect(program.output).toBe('Hello, Ada! (attempt 1)\n');
  });

  test.each([
    ['docs/dashboard.md', 'AdminModule'],
    ['packages/dashboard/README.md', 'AppModule'],
  ])('the dashboard of %s lets in nobody who is not signed in', async (document, name) => {
    const database = await createDatabase('sqlite');
    const module = (await import(fileOf(document, 'DashboardModule.forRoot'))) as Record<string, new () => object>;
    const app = await startNestApp(database, { imports: [module[name]!] });
    await app.listen(0, '127.0.0.1');
    const answer = await fetch(`${await app.getUrl()}/queues/api/me`);
    expect(answer.status).toBe(403);
    await app.close();
    await database.drop();
  });
});

describeEach('the examples on a server', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createEmptyDatabase(engine);
  });
  afterAll(() => database.drop());

  test('the first screen of README', async () => {
    const file = fileOf('README.md', '// main.ts');
    const code = await readFile(file, 'utf8');
    if (engine === 'sqlite') {
      // As README says of SQLite: another type, and databaseType.
      await writeFile(
        file,
        code
          .replace(
            /type: 'mysql',\s+url: process.env.DATABASE_URL/,
            `type: 'better-sqlite3', database: '${database.url}'`,
          )
          .replace('forRoot({ queues', "forRoot({ databaseType: 'better-sqlite3', queues"),
      );
    }
    const program = ChildProcess.start(pathToFileURL(file), { DATABASE_URL: database.url });
    try {
      await waitFor(
        'the mail',
        () => /mail "order" to ada@example.com, attempt 1/.test(program.output) || program.hasEnded,
      );
      expect(program.output).toContain('mail "order" to ada@example.com, attempt 1');
    } finally {
      await program.end('SIGTERM');
      await writeFile(file, code);
    }
  });

  test('the migration of README', async () => {
    const module = (await import(fileOf('README.md', 'MigrationInterface'))) as Record<string, new () => never>;
    const dataSource = await database.connect({ migrations: Object.values(module), entities: [] });
    await dataSource.query('DROP TABLE IF EXISTS tq_job');
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT COUNT(*) AS jobs FROM tq_job')).toHaveLength(1);
    await dataSource.undoLastMigration();
    await expect(dataSource.query('SELECT COUNT(*) AS jobs FROM tq_job')).rejects.toThrow(/tq_job/);
  });
});
