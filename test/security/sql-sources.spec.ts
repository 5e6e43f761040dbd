import { expect, test } from '@jest/globals';
import { InvalidNameError } from '@tablequeue/typeorm';
import { assertJobName, assertQueueName } from '@tablequeue/typeorm/internal';

import { Program } from './program.js';
import { SqlProof, type Trusted } from './sql-proof.js';

/** What the proof takes for granted, and why. */
const TRUSTED: Trusted = {
  'packages/typeorm/src/tables/table-names.ts: names.history':
    'one of the names that nameOf has escaped, part by part, by the driver',
  "packages/typeorm/src/store/history/alter-days.ts: name.replaceAll('`', '``')":
    'a partition that the server has told of, or one of ours, as an identifier: between backquotes, its own doubled',
  'packages/typeorm/src/engine/mysql/mysql-dialect.ts: new IdLiterals(ids)':
    'hex digits, 32 for each id, between quotes: Buffer.concat refuses what is no bytes, and id-literals.spec has the text',
  'packages/typeorm/src/migrations/migrations.ts: version[kind][direction](source)':
    'every function in migrations/v* is looked at by itself',
  'packages/typeorm/src/migrations/v1/mysql.ts: words': 'the words of an ENUM, each call with literals',
};

function prove(changes: Readonly<Record<string, string>> = {}): SqlProof {
  return new SqlProof(Program.ofPackages(changes), TRUSTED);
}

test('no value is part of the text of a statement', () => {
  const proof = prove();
  expect(proof.findings.map(({ line, sink }) => `${line}\n  in ${sink}`)).toEqual([]);
  expect(proof.sinks.length).toBeGreaterThan(250);
  expect([...proof.used].sort()).toEqual(Object.keys(TRUSTED).sort());
});

test('only the core and the bench have SQL', () => {
  const files = prove().sinks.map((file) => file.split('/').slice(0, 3).join('/'));
  expect([...new Set(files)].sort()).toEqual(['packages/typeorm/src', 'packages/verify/src']);
});

const STORE = 'packages/typeorm/src/store';
const IMPORTS = `
  import type { Dialect } from '../engine/dialect.js';
  import { type Operation, change, select } from '../engine/operation.js';
  import { assertQueueName } from '../definition/names.js';
`;

test.each([
  [
    'a parameter',
    `export function* find(dialect: Dialect, queue: string) {
     yield* select(\`SELECT id FROM \${dialect.tables.job} WHERE queue = '\${queue}'\`);
   }
   export const found = (dialect: Dialect, given: { queue: string }) => find(dialect, given.queue);`,
    'given.queue',
  ],
  [
    'a number that is only declared to be one',
    `export function* find(dialect: Dialect, limit: number) {
     yield* select(\`SELECT id FROM \${dialect.tables.job} LIMIT \${limit}\`);
   }
   export const found = (dialect: Dialect, options: { limit: number }) => find(dialect, options.limit);`,
    'options.limit',
  ],
  [
    'a helper in between',
    `const named = (key: string) => 'job_key = "' + key + '"';
   export function* find({ tables }: Dialect, wanted: string[]) {
     const where = wanted.map((each) => named(each)).join(' OR ');
     yield* change(\`DELETE FROM \${tables.key} WHERE \${where}\`);
   }
   export const found = (dialect: Dialect) => find(dialect, process.argv);`,
    'process.argv',
  ],
  [
    'the sql of a statement',
    `export const statement = (payload: string) => ({ sql: 'SELECT ' + payload, parameters: [] });
   export const made = JSON.parse('1');
   export const used = statement(made);`,
    "JSON.parse('1')",
  ],
  [
    'a condition that is put together',
    `export function* find({ tables, now }: Dialect, options: { key?: string }) {
     let where = 'TRUE';
     if (options.key) where += \` AND job_key = '\${options.key}'\`;
     yield* select(\`SELECT \${now} FROM \${tables.job} WHERE \${where}\`);
   }`,
    'options.key',
  ],
  [
    'what takes the place of a mark',
    `export const find = ({ tables }: Dialect, options: { key: string }) =>
       select(\`SELECT id FROM \${tables.job} WHERE job_key = ?\`.replaceAll('?', options.key));`,
    'options.key',
  ],
  [
    'a function that runs SQL by another name',
    `import { select as pick } from '../engine/operation.js';
   export const find = (options: { key: string }) => pick('SELECT ' + options.key);`,
    'options.key',
  ],
  [
    'what a generator yields',
    `function* each(names: string[]): Generator<string> { for (const name of names) yield name; }
   export const find = (options: { keys: string[] }) =>
     select('SELECT ' + [...each(options.keys)].map((key) => key).join(','));`,
    'options.keys',
  ],
  [
    'what an element of a list has',
    `export function* find(given: { queue: string }[]) {
     const { queue } = given[0]!;
     yield* select(\`SELECT '\${queue}'\`);
   }
   export const found = () => find([JSON.parse('1')]);`,
    "JSON.parse('1')",
  ],
  [
    'a name that is asserted too late',
    `export function* find(options: { queue: string }) {
     const queue = options.queue;
     yield* select(\`SELECT '\${queue}'\`);
     assertQueueName(queue);
   }`,
    'options.queue',
  ],
  [
    'a name beside one that is asserted',
    `export function* find(options: { queue: string, name: string }) {
     const queue = options.queue;
     const name = options.name;
     assertQueueName(queue);
     yield* select(\`SELECT '\${queue}', '\${name}'\`);
   }`,
    'options.name',
  ],
  [
    'a name that is changed after it is asserted',
    `export function* find(options: { queue: string }) {
     let queue = '';
     assertQueueName(queue);
     queue = options.queue;
     yield* select(\`SELECT '\${queue}'\`);
   }`,
    'options.queue',
  ],
  [
    'a name that another function by that name has asserted',
    `export function* find(options: { queue: string }) {
     const assertQueueName = (name: string) => name.trim();
     const queue = options.queue;
     assertQueueName(queue);
     yield* select(\`SELECT '\${queue}'\`);
   }`,
    'options.queue',
  ],
  [
    'a function that runs SQL as a value',
    `export const ways = { run: (sql: string) => sql, select: change };`,
    'change',
  ],
])('finds %s', (_what, code, expression) => {
  const { findings } = prove({ [`${STORE}/planted.ts`]: `${IMPORTS}${code}` });
  expect(findings.map(({ file, expression: found }) => [file, found])).toEqual([[`${STORE}/planted.ts`, expression]]);
});

test('a name that has been asserted may be part of a text: it has no letter that means anything in SQL', () => {
  const { findings } = prove({
    [`${STORE}/planted.ts`]: `${IMPORTS}
      export function* find(options: { queue: string }) {
        const queue = options.queue;
        assertQueueName(queue);
        yield* select(\`SELECT '\${queue}'\`);
      }`,
  });
  expect(findings).toEqual([]);
  for (const letter of `'"\`\\?;#()%\0 \n`) {
    expect(() => assertQueueName(`a${letter}`)).toThrow(InvalidNameError);
    expect(() => assertJobName(`a${letter}`)).toThrow(InvalidNameError);
  }
});

test('finds it in a caller in another file, and in another room', () => {
  const { findings } = prove({
    [`${STORE}/planted.ts`]: `${IMPORTS}
      export function* find(dialect: Dialect, columns: string): Operation<void> {
        yield* select(\`SELECT \${columns} FROM \${dialect.tables.job}\`);
      }`,
    'packages/cli/src/commands/planted.ts': `
      import { find } from '../../../typeorm/src/store/planted.js';
      export const run = (dialect: never, flags: { columns: string }) => find(dialect, flags.columns);
      export const raw = (dataSource: { query(sql: string): void }, flags: { id: string }) =>
        dataSource.query(\`SELECT \${flags.id}\`);`,
  });
  expect(findings.map(({ expression }) => expression).sort()).toEqual(['flags.columns', 'flags.id']);
});
