import type { Check } from '../../check.js';
import { ok, warning } from '../../finding.js';

/** By the number that `PRAGMA synchronous` answers. */
const LEVELS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/** Whether a commit has reached the disk when it is answered. */
export const durability: Check = {
  name: 'durability',
  async run({ query }) {
    const [mode] = await query<{ journal_mode: string }>('PRAGMA journal_mode');
    const [row] = await query<{ synchronous: number }>('PRAGMA synchronous');
    const level = LEVELS[row?.synchronous ?? -1] ?? 'unknown';
    const journal = mode?.journal_mode ?? '';
    const found = `journal_mode = ${journal}, synchronous = ${level} in this session`;
    if (journal === 'off' || journal === 'memory') {
      return warning(found, 'A process that dies in a transaction leaves a broken file.', 'PRAGMA journal_mode = WAL;');
    }
    return level === 'OFF'
      ? warning(
          found,
          'When the machine dies the last commits are lost, or the file is broken.',
          'PRAGMA synchronous = FULL;',
        )
      : ok(found);
  },
};
