import { describe, expect, test } from '@jest/globals';

import { change, select } from './operation.js';
import { type Fragment, sql } from './sql.js';

const table = sql.identifier(['shop', 'tq_job'], '`');

describe('sql', () => {
  test('binds values and keeps their order through nested fragments', () => {
    const due = sql`run_at <= ${5}`;
    const { sql: text, parameters } = sql`SELECT id FROM ${table} WHERE queue = ${'mail'} AND ${due} AND name = ${'a'}`;
    expect(text).toBe('SELECT id FROM `shop`.`tq_job` WHERE queue = ? AND run_at <= ? AND name = ?');
    expect(parameters).toEqual(['mail', 5, 'a']);
  });

  test('never puts a value into the text', () => {
    const attack = { sql: "'; DROP TABLE tq_job; --", parameters: [] } as never;
    const { sql: text, parameters } = sql`WHERE a = ${"' OR 1 = 1"} AND b = ${attack}`;
    expect(text).toBe('WHERE a = ? AND b = ?');
    expect(parameters).toEqual(["' OR 1 = 1", attack]);
  });

  test('quotes identifiers', () => {
    expect(sql.identifier(['a`b'], '`').sql).toBe('`a``b`');
    expect(sql.identifier(['main', 'a"b'], '"').sql).toBe('"main"."a""b"');
  });

  test('takes only whole numbers as digits', () => {
    expect(sql`LIMIT ${sql.integer(50)}`.sql).toBe('LIMIT 50');
    expect(() => sql.integer(0.5)).toThrow('0.5 is not a whole number.');
    expect(() => sql.integer('1; DROP' as never)).toThrow(TypeError);
  });

  test('joins fragments with their values', () => {
    const conditions = [sql`a = ${1}`, sql`b IN (${sql.list(['x', 'y'])})`];
    const joined = sql.join(conditions, sql` AND `);
    expect(joined.sql).toBe('a = ? AND b IN (?, ?)');
    expect(joined.parameters).toEqual([1, 'x', 'y']);
  });

  test('fills open placeholders in order', () => {
    const row = sql`(${sql.open}, ${sql.openList(2)})`;
    const statement = sql`INSERT INTO ${table} VALUES ${sql.rows([row, row], [1, 2, 3, 4, 5, 6])}`;
    expect(statement.sql).toBe('INSERT INTO `shop`.`tq_job` VALUES (?, ?, ?),(?, ?, ?)');
    expect(statement.parameters).toEqual([1, 2, 3, 4, 5, 6]);
    expect(sql.recurring(statement).recurs).toBe(true);
    expect(sql.bind(row, [7, 8, 9]).parameters).toEqual([7, 8, 9]);
  });
});

/** Never called: each line below a `@ts-expect-error` has to be an error of the compiler. */
function refusedByTheCompiler(queue: string, made: { sql: string; parameters: []; recurs: false }): void {
  // @ts-expect-error -- a text is no statement
  select('SELECT 1');
  // @ts-expect-error -- a template without the tag is a text
  change(`DELETE FROM tq_job WHERE queue = '${queue}'`);
  // @ts-expect-error -- an object of the same shape is no fragment
  select(made);
  // @ts-expect-error -- a text cannot be embedded as a list of columns
  sql.join(['id', queue]);
  // @ts-expect-error -- the tag takes templates only
  sql('SELECT 1');
  // @ts-expect-error -- a number is no row
  sql.rows([1], []);
  // @ts-expect-error -- the brand cannot be written by hand
  const forged: Fragment = { sql: queue, parameters: [], recurs: false };
  select(forged);
}

test('the compiler refuses everything but fragments', () => {
  expect(refusedByTheCompiler).toBeInstanceOf(Function);
});
