import { pathToFileURL } from 'node:url';

import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { compileExamples, findExamples, useEngine } from './examples.js';

const FOLDER = 'programs';

const examples = await findExamples(FOLDER, [
  'docs',
  // test/packaging/nestjs-walk.spec.ts follows it.
  ':!docs/start/quick-start-nest.md',
]);
/** Programs that end on their own. The block of text after each is its output. */
const programs = examples.filter(({ output }) => output !== undefined);

beforeAll(() => compileExamples(FOLDER, examples));

describe('the samples in docs', () => {
  test('state what they print, unless another test imports them', () => {
    const modules = examples.filter((example) => !programs.includes(example));
    expect(modules.map(({ document, name }) => `${document}: ${name}`)).toEqual([
      // examples.spec.ts
      'docs/guides/dashboard.md: dashboard.module',
      // The connection of the other programs.
      'docs/guides/index.md: queue',
      // examples.spec.ts
      'docs/start/install.md: add-table-queue',
    ]);
  });

  test('have different names', () => {
    expect(new Set(examples.map(({ file }) => file)).size).toBe(examples.length);
  });
});

describeEach('the programs in docs', (engine) => {
  let database: TestDatabase;
  beforeAll(() => Promise.all(examples.map(({ file }) => useEngine(file, engine))));
  beforeEach(async () => {
    database = await createEmptyDatabase(engine);
  });
  afterEach(() => database.drop());

  test.each(programs)('$document: $name.ts', async ({ file, output }) => {
    const program = ChildProcess.start(pathToFileURL(file), { DATABASE_URL: database.url });
    await program.ended();
    expect(program.output).toBe(output);
  });
});
