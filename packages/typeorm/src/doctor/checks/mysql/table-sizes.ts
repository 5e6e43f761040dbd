import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** So many rows of the history are pruned row by row with some effort. */
const LARGE = 20_000_000;

interface Size {
  readonly name: string;
  readonly rows_about: number | string | null;
  readonly bytes: number | string | null;
}

/** How large the tables are, by the server's statistics. */
export const tableSizes: Check<ExaminedServer> = {
  name: 'table-sizes',
  async run({ engine, query }) {
    const { all, historyTable } = engine.dialect.tables;
    const names = all.map((table) => table.sql.split('.').at(-1)?.replaceAll('`', '') ?? '');
    const sizes = await query<Size>(
      `SELECT TABLE_NAME AS name, TABLE_ROWS AS rows_about, DATA_LENGTH + INDEX_LENGTH AS bytes
       FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (?)
       ORDER BY bytes DESC, name`,
      [names],
    );
    const bytes = sizes.reduce((sum, size) => sum + Number(size.bytes), 0);
    const largest = sizes.slice(0, 3).map(({ name, rows_about: rows }) => `${name} about ${Number(rows)} rows`);
    const found = `${(bytes / 1024 / 1024).toFixed(1)} MiB in all; ${largest.join(', ')}`;
    const history = Number(sizes.find(({ name }) => name === historyTable.name)?.rows_about ?? 0);
    return history >= LARGE && !historyTable.byDay
      ? warning(
          found,
          'So large a history is deleted from row by row, which costs as much as writing it did.',
          'Keep less: the option retention, or npx tablequeue prune --older-than 7d',
          'Or keep it in day partitions, of which whole ones are dropped: docs/features/day-partitions.md',
        )
      : ok(found);
  },
};
