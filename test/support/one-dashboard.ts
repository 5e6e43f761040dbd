import { afterEach } from '@jest/globals';

import { DashboardApplication, type DashboardSetup } from './dashboard.js';
import { useDatabase } from './use-database.js';

/**
 * For files that look at the dashboard's routes alone: one SQLite database, and one application at a time, which is
 * closed behind each test.
 *
 * @returns what starts it.
 */
export function oneDashboard(): (setup?: DashboardSetup) => Promise<DashboardApplication> {
  let running: DashboardApplication | undefined;
  const database = useDatabase('sqlite');
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });
  return async (setup) => (running = await DashboardApplication.start(database, setup));
}
