import { DEFAULT_QUEUE } from '../../definition/job-definition.js';
import { change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { takeFirstReady } from '../../store/claim/update-returning.js';
import type { Check } from '../check.js';
import type { Examined } from '../examined.js';
import { type Answer, ok, problem, unknown, warning } from '../finding.js';
import { tables } from './tables.js';

/** The first version with `unixepoch('subsec')`, which the queue uses as its clock. */
const OLDEST = [3, 42] as const;

/** The version of SQLite in the driver. */
const version: Check = {
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

/** Returns the answer of a check that needs the tables, if some are missing. */
async function withoutTables({ engine }: Examined): Promise<Answer | undefined> {
  const missing = await engine.missingTables();
  return missing.length === 0
    ? undefined
    : unknown('not examined: the tables are missing', 'Create them first: see the check "tables".');
}

/** Whether this process can write the file and its folder. It stores nothing. */
const writes: Check = {
  name: 'writes',
  async run(examined) {
    const { engine } = examined;
    const unexamined = await withoutTables(examined);
    if (unexamined) {
      return unexamined;
    }
    try {
      await engine.execute(({ tables }) => change(sql`DELETE FROM ${tables.maintenance} WHERE FALSE`), {
        purpose: 'write to the file',
        atomic: true,
      });
      return ok('the file is writable');
    } catch (error) {
      return problem(
        (error as Error).message,
        'Jobs cannot be enqueued, claimed or completed.',
        'Allow the account of this process to write the file and its folder, and end processes that lock the file.',
      );
    }
  },
};

/** The query plan of the statement that claims jobs. */
const claimPlan: Check = {
  name: 'claim-plan',
  async run(examined) {
    const unexamined = await withoutTables(examined);
    if (unexamined) {
      return unexamined;
    }
    const { engine, query } = examined;
    const { tables } = engine.dialect;
    const claim = takeFirstReady(engine.dialect, { queue: DEFAULT_QUEUE, owner: 1, number: 1 }, 10);
    const plan = await query<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${claim}`);
    const steps = plan.map(({ detail }) => detail);
    const isAlongLane = steps.some((step) => step.includes(`INDEX ${tables.laneIndex.sql.replaceAll('"', '')} `));
    const isSorted = steps.some((step) => step.includes('TEMP B-TREE'));
    return isAlongLane && !isSorted
      ? ok(`along ${tables.laneIndex.sql.replaceAll('"', '')}, in its order`)
      : problem(
          steps.join('; '),
          'A claim reads all jobs, and locks the whole database meanwhile.',
          'Create the index that "tables" reports as missing, then run ANALYZE;',
        );
  },
};

/** The names of the numbers of `PRAGMA synchronous`. */
const LEVELS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/** Whether a commit returns only after it is on the disk. */
const durability: Check = {
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

const MIB = 1024 * 1024;

/** Free pages are used again, but the file does not shrink. */
const MOSTLY_EMPTY = 0.75;
const LARGE = 256 * MIB;

/** How large the file is, and how much of it is free. */
const fileSize: Check = {
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

/** The checks of SQLite, in the order of the report. */
export const SQLITE_CHECKS: readonly Check[] = [version, tables, writes, claimPlan, durability, fileSize];
