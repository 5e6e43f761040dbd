import type { Check } from '../../check.js';
import { ok, problem } from '../../finding.js';

/** The first with `unixepoch('subsec')`, which the queue's clock is. */
const OLDEST = [3, 42] as const;

/** The version of SQLite that the driver brings. */
export const version: Check = {
  name: 'version',
  async run({ query }) {
    const [row] = await query<{ version: string }>('SELECT sqlite_version() AS version');
    const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number);
    const found = `SQLite ${row?.version}`;
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
      ? ok(found)
      : problem(found, 'It cannot tell milliseconds.', 'npm install better-sqlite3@12');
  },
};
