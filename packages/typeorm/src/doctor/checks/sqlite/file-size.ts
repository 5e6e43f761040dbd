import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import { ok, warning } from '../../finding.js';

const MIB = 1024 * 1024;

/** Free pages are used again, but the file does not shrink. */
const MOSTLY_EMPTY = 0.75;
const LARGE = 256 * MIB;

/** How large the file is, and how much of it is free. */
export const fileSize: Check = {
  name: 'file-size',
  async run({ query }) {
    const [{ page_size: size } = { page_size: 0 }] = await query<{ page_size: number }>(sql`PRAGMA page_size`);
    const [{ page_count: pages } = { page_count: 0 }] = await query<{ page_count: number }>(sql`PRAGMA page_count`);
    const [{ freelist_count: free } = { freelist_count: 0 }] = await query<{ freelist_count: number }>(
      sql`PRAGMA freelist_count`,
    );
    const found = `${((pages * size) / MIB).toFixed(1)} MiB, ${((free * size) / MIB).toFixed(1)} MiB of it free`;
    return pages * size >= LARGE && free > MOSTLY_EMPTY * pages
      ? warning(found, 'Free pages are used again, but the file does not shrink.', 'VACUUM;')
      : ok(found);
  },
};
