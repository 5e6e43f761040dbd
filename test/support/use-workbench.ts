import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { createDatabase } from './database.js';
import { Workbench } from './workbench.js';

/** Options of `useWorkbench`. */
interface UseWorkbenchOptions {
  /** What separates a test from the next one: emptied tables, a new database, or nothing. Default: `tables`. */
  readonly isolation?: 'tables' | 'database' | 'none';
  /** Further options of its data source. */
  readonly dataSource?: object;
}

/**
 * A workbench for the tests of the surrounding `describe`. It is open in all hooks and tests below this call. Declare
 * above it what must end before its tables are emptied or its database is dropped.
 */
export function useWorkbench(
  engine: Engine,
  { isolation = 'tables', dataSource = {} }: UseWorkbenchOptions = {},
): Workbench {
  // Tests refer to it before it is open. It gets its fields then.
  const bench = Object.create(Workbench.prototype) as Workbench;
  const open = async () => {
    const database = await createDatabase(engine);
    Object.assign(bench, Workbench.on(database, await database.connect(dataSource)));
  };
  const close = () => bench.close();
  if (isolation === 'database') {
    beforeEach(open);
    afterEach(close);
    return bench;
  }
  beforeAll(open);
  if (isolation === 'tables') {
    afterEach(() => bench.reset());
  }
  afterAll(close);
  return bench;
}
