import { expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';

/** From jest.config.js. */
const { typeormVersion } = globalThis as unknown as { readonly typeormVersion: string };

test('these tests run with the version of TypeORM of their part', () => {
  const { manager } = new DataSource({ type: 'better-sqlite3', database: ':memory:' });
  expect(Object.hasOwn(manager, 'dataSource')).toBe(typeormVersion === '1');
});
