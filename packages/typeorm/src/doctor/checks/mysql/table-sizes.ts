import { type Fragment, sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** From this number of jobs on, deleting finished ones row by row is expensive. */
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
    const { all, job } = engine.dialect.tables;
    const nameOf = (table: Fragment) => table.sql.split('.').at(-1)?.replaceAll('`', '') ?? '';
    const names = all.map(nameOf);
    const sizes = await query<Size>(
      sql`SELECT TABLE_NAME AS name, TABLE_ROWS AS rows_about, DATA_LENGTH + INDEX_LENGTH AS bytes
          FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${sql.list(names)})
          ORDER BY bytes DESC, name`,
    );
    const bytes = sizes.reduce((sum, size) => sum + Number(size.bytes), 0);
    const largest = sizes.slice(0, 3).map(({ name, rows_about: rows }) => `${name} about ${Number(rows)} rows`);
    const found = `${(bytes / 1024 / 1024).toFixed(1)} MiB in total; ${largest.join(', ')}`;
    const jobs = Number(sizes.find(({ name }) => name === nameOf(job))?.rows_about ?? 0);
    return jobs >= LARGE
      ? warning(
          found,
          'So many finished jobs are deleted row by row, which costs as much as writing them.',
          'Keep fewer jobs: set the option retention, or run npx tablequeue prune --older-than 7d',
        )
      : ok(found);
  },
};
