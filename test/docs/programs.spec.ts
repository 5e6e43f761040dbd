import { pathToFileURL } from 'node:url';

import { describe, expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createEmptyDatabase } from '../support/database.js';
import { describeAtOnce } from '../support/each-engine.js';
import { isLeftOut } from '../support/servers.js';
import { type Example, compileExamples, findExamples, useEngine } from './examples.js';

const FOLDER = 'programs';

const examples = await findExamples(FOLDER, [
  'docs',
  // test/packaging/nestjs-walk.spec.ts follows it.
  ':!docs/start/quick-start-nest.md',
]);
/** Programs that end on their own. The block of text after each is its output. */
const programs = examples.filter(({ output }) => output !== undefined);

// Here and not in a hook: concurrent tests start before the hooks.
await compileExamples(FOLDER, examples);

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

/** One engine, because the other tests compare the engines. MySQL, because the samples are for it. */
const engine = (['mysql', 'mariadb', 'sqlite'] as const).find((each) => !isLeftOut(each)) ?? 'mysql';
await Promise.all(examples.map(({ file }) => useEngine(file, engine)));

async function runProgram({ file, output }: Example): Promise<void> {
  const database = await createEmptyDatabase(engine);
  try {
    const program = ChildProcess.start(pathToFileURL(file), { DATABASE_URL: database.url });
    await program.ended();
    expect(program.output).toBe(output);
  } finally {
    await database.drop();
  }
}

describeAtOnce(
  'the programs in docs',
  programs.map((program) => ({
    title: `${program.document}: ${program.name}.ts`,
    // The clients in it are for MySQL.
    engine: engine === 'sqlite' && program.document === 'docs/guides/other-clients.md' ? 'mysql' : engine,
    run: () => runProgram(program),
  })),
  120_000,
);
