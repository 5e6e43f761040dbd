import { afterAll, afterEach, beforeAll } from '@jest/globals';

import { DashboardApplication, type DashboardSetup } from './dashboard.js';
import { type TestDatabase, createDatabase } from './database.js';

/**
 * For files that look at the dashboard's routes alone: one SQLite database, and one application at a time, which is
 * closed behind each test.
 *
 * @returns what starts it.
 */
export function oneDashboard(): (setup?: DashboardSetup) => Promise<DashboardApplication> {
  let database: TestDatabase;
  let running: DashboardApplication | undefined;
  beforeAll(async () => {
    database = await createDatabase('sqlite');
  });
  afterAll(() => database.drop());
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });
  return async (setup) => (running = await DashboardApplication.start(database, setup));
}
