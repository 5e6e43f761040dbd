import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENTS = ['README.md', 'packages/typeorm/README.md', 'packages/nestjs/README.md', 'CONTRIBUTING.md', 'docs'];

/** The TypeScript in the documents, compiled as a newcomer's project would be: against the built packages. */
const FOLDER = join(ROOT, 'test/dist/examples');

interface Example {
  readonly document: string;
  readonly code: string;
}

async function findExamples(): Promise<Example[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--', ...DOCUMENTS], { cwd: ROOT });
  const examples: Example[] = [];
  for (const document of stdout.trim().split('\n')) {
    const text = await readFile(join(ROOT, document), 'utf8');
    for (const [, code = ''] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
      examples.push({ document, code });
    }
  }
  return examples;
}

const examples = await findExamples();
const fileOf = (index: number) => join(FOLDER, `out/example-${index}.js`);
const indexOf = (document: string, text: string) =>
  examples.findIndex((example) => example.document === document && example.code.includes(text));

beforeAll(async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await cp(join(ROOT, 'tsconfig.base.json'), join(FOLDER, 'base.json'));
  const compilerOptions = { composite: false, incremental: false, customConditions: [], outDir: 'out', rootDir: '.' };
  await writeFile(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({ extends: './base.json', compilerOptions, include: ['*.ts'] }),
  );
  await writeFile(join(FOLDER, 'package.json'), '{ "type": "module" }');
  await Promise.all(examples.map(({ code }, index) => writeFile(join(FOLDER, `example-${index}.ts`), code)));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', FOLDER]).catch((error: { stdout: string }) => {
    throw new Error(`The examples do not compile:\n${error.stdout}`);
  });
});

describe('the examples in the documents', () => {
  test('are all run below', () => {
    expect(examples.map(({ document, code }) => `${document}: ${code.split('\n', 1)[0]}`)).toEqual([
      'README.md: // main.ts',
      "README.md: import { downTableQueue, upTableQueue } from '@tablequeue/typeorm';",
      expect.stringMatching(/^packages\/typeorm\/README.md: import \{/),
    ]);
  });

  test('the queue without Nest', async () => {
    const program = ChildProcess.start(pathToFileURL(fileOf(indexOf('packages/typeorm/README.md', 'jobHandler('))));
    await waitFor('it greets', () => program.output.includes('Hello, Ada! (attempt 1)') || program.hasEnded);
    program.signal('SIGTERM');
    await program.ended();
    expect(program.output).toBe('Hello, Ada! (attempt 1)\n');
  });
});

describeEach('the examples on a server', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createEmptyDatabase(engine);
  });
  afterAll(() => database.drop());

  test('the first screen of README', async () => {
    const file = fileOf(indexOf('README.md', '// main.ts'));
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
    const module = (await import(fileOf(indexOf('README.md', 'MigrationInterface')))) as Record<
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
