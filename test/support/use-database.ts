import { afterAll, beforeAll } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { type TestDatabase, createDatabase } from './database.js';

/**
 * A database for the tests of the surrounding `describe` or file. It exists in all hooks and tests below this call.
 * Declare above it what must end before it is dropped.
 */
export function useDatabase(
  engine: Engine,
  create: (engine: Engine) => Promise<TestDatabase> = createDatabase,
): TestDatabase {
  // Tests refer to it before it exists. It gets its fields then.
  const database = {} as TestDatabase;
  beforeAll(async () => void Object.assign(database, await create(engine)));
  afterAll(() => database.drop());
  return database;
}
