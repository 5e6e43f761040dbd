import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { compileExamples, findExamples } from './examples.js';

const FOLDER = 'features';

/** Programs that end by themselves, each with a block of text behind it that says what it prints. */
const examples = await findExamples(FOLDER, ['docs/features']);
const connection = examples.find(({ code }) => code.startsWith('// queue.ts\n'));
const programs = examples.filter((example) => example !== connection);

beforeAll(() => compileExamples(FOLDER, examples));

describe('the examples of features', () => {
  test('each says what it prints, and has a name of its own', () => {
    expect(programs.filter(({ output }) => output === undefined).map(({ document }) => document)).toEqual([]);
    expect(new Set(examples.map(({ file }) => file)).size).toBe(examples.length);
  });
});

describeEach('the examples of features on a server', (engine) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase(engine);
  });
  afterEach(() => database.drop());
  beforeAll(async () => {
    if (engine === 'sqlite' && connection) {
      // As README says of SQLite: another type.
      const code = await readFile(connection.file, 'utf8');
      const ours = code
        .replaceAll("'mysql'", "'better-sqlite3'")
        .replace('url: process.env.DATABASE_URL', 'database: process.env.DATABASE_URL');
      await writeFile(connection.file, ours);
    }
  });
  afterAll(async () => {
    if (engine === 'sqlite') {
      await compileExamples(FOLDER, examples);
    }
  });

  test.each(programs)('$document: $name.ts', async ({ file, output }) => {
    const program = ChildProcess.start(pathToFileURL(file), { DATABASE_URL: database.url });
    await program.ended();
    expect(program.output).toBe(output);
  });
});
