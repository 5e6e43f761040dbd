import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import { ok, problem } from '../../finding.js';

/** The first version with `unixepoch('subsec')`, which the queue uses as its clock. */
const OLDEST = [3, 42] as const;

/** The version of SQLite in the driver. */
export const version: Check = {
  name: 'version',
  async run({ query }) {
    const [row] = await query<{ version: string }>(sql`SELECT sqlite_version() AS version`);
    const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number);
    const found = `SQLite ${row?.version}`;
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
      ? ok(found)
      : problem(
          found,
          'It has no clock with milliseconds, so every statement of the queue fails.',
          'npm install better-sqlite3@12',
        );
  },
};
