import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import { ok, warning } from '../../finding.js';

/** The names of the numbers of `PRAGMA synchronous`. */
const LEVELS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/** Whether a commit returns only after it is on the disk. */
export const durability: Check = {
  name: 'durability',
  async run({ query }) {
    const [mode] = await query<{ journal_mode: string }>(sql`PRAGMA journal_mode`);
    const [row] = await query<{ synchronous: number }>(sql`PRAGMA synchronous`);
    const level = LEVELS[row?.synchronous ?? -1] ?? 'unknown';
    const journal = mode?.journal_mode ?? '';
    const found = `journal_mode = ${journal}, synchronous = ${level} in this session`;
    if (journal === 'off' || journal === 'memory') {
      return warning(
        found,
        'If a process dies during a transaction, the database file is corrupt.',
        'PRAGMA journal_mode = WAL;',
      );
    }
    return level === 'OFF'
      ? warning(
          found,
          'If the machine crashes, the last commits are lost, or the database file is corrupt.',
          'PRAGMA synchronous = FULL;',
        )
      : ok(found);
  },
};
