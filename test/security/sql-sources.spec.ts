import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/*
 * The compiler makes every statement a fragment: see packages/typeorm/src/engine/sql.ts and the test of it, which shows
 * what it refuses. This finds the ways around the compiler.
 */
const RULES = [
  {
    problem: 'a cast to a fragment',
    pattern: /\bas (?:unknown as |readonly )*(?:Fragment|SqlFragment)\b|(?<!\w)<Fragment>/,
  },
  { problem: 'the tag called with a made-up template', pattern: /(?<!function )\bsql\(/ },
  {
    problem: 'a text sent to the driver',
    pattern: /\.(?:query|prepare|exec|pragma)(?:<[^(]*>)?\(\s*(?!'busy_timeout)['"`]/,
  },
  {
    problem: 'a template without the tag',
    pattern: /(?<!sql)`\s*(?:SELECT|INSERT|UPDATE|DELETE) [^`]*\$\{/,
  },
];

const SOURCES = join(REPOSITORY, 'packages/typeorm/src');
/** Makes the fragments. */
const MAKER = join(SOURCES, 'engine/sql.ts');

function problemsIn(text: string): string[] {
  return RULES.filter(({ pattern }) => pattern.test(text)).map(({ problem }) => problem);
}

function sourceFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => join(SOURCES, path))
    .filter((path) => path !== MAKER);
}

test('only the tag makes SQL, and nothing goes around the compiler', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((path) =>
    problemsIn(withoutComments(readFileSync(path, 'utf8'))).map((problem) => `${relative(SOURCES, path)}: ${problem}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['a cast to a fragment', 'select({ sql: text, parameters: [] } as unknown as Fragment)'],
  ['a cast to a fragment', 'const made = <Fragment>{ sql: text };'],
  ['the tag called with a made-up template', 'select(sql(Object.assign([text], { raw: [text] })))'],
  ['a text sent to the driver', 'await queryRunner.query(`KILL ${thread}`)'],
  ['a text sent to the driver', "database.exec('BEGIN')"],
  ['a template without the tag', 'const statement = `SELECT id FROM ${table}`;'],
])('finds %s', (problem, code) => {
  expect(problemsIn(code)).toEqual([problem]);
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
