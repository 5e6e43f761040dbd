import { isAccessDenied, isNoText } from '../../../engine/mysql/mysql-errors.js';
import { mysqlSnapshots } from '../../../engine/mysql/mysql-snapshots.js';
import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { type Answer, ok, problem, unknown, warning } from '../../finding.js';

/** Several times the length on busy servers. 30,000 unpurged index entries can slow a claim down from 2 to 26 ms. */
const LONG = 100_000;
/** From this length on the whole server is slow. */
const TOO_LONG = 5_000_000;

const HISTORY_WHY =
  'Changes that wait to be purged slow claims down: these read the index entries that jobs have left.';
const SNAPSHOT_WHY =
  'The index entries that jobs have left are not purged until it ends: claims read them, and slow down.';

/** The number of changes that wait to be purged. */
export const historyLength: Check<ExaminedServer> = {
  name: 'history-length',
  run: (server) =>
    orUnknown(server, HISTORY_WHY, async () => {
      const { status, query } = server;
      let length = numberOf(status, 'innodb_history_list_length');
      if (Number.isNaN(length)) {
        const [row] = await query<{ length: number | string }>(
          sql`SELECT COUNT AS length FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'`,
        );
        length = Number(row?.length);
      }
      const found = `history list length ${length}`;
      const change = [
        'End the oldest transaction: see "open-transactions".',
        'Or increase innodb_purge_threads, which needs a restart.',
      ];
      if (length >= TOO_LONG) {
        return problem(found, HISTORY_WHY, ...change);
      }
      return length >= LONG ? warning(found, HISTORY_WHY, ...change) : ok(found);
    }),
};

interface Transaction {
  readonly thread: number | string;
  readonly age: number | string;
  readonly changed: number | string;
}

/** The oldest snapshot of the whole server: it stops purge, also in other tables. */
export const openTransactions: Check<ExaminedServer> = {
  name: 'open-transactions',
  run: (server) =>
    orUnknown(server, SNAPSHOT_WHY, async () => {
      const [oldest] = await server.query<Transaction>(mysqlSnapshots.oldest);
      if (!oldest) {
        return ok('none is open');
      }
      const age = Math.max(0, Number(oldest.age));
      const found = `the oldest is open for ${Math.floor(age / 1000)} s, thread ${oldest.thread}`;
      if (age < server.limits.maxTransactionAge) {
        return ok(found);
      }
      const changed = Number(oldest.changed) > 0 ? `, ${oldest.changed} rows changed` : '';
      return warning(`${found}${changed}`, SNAPSHOT_WHY, `KILL ${oldest.thread}; -- after checking what it does`);
    }),
};

/** Runs a check that needs the PROCESS privilege, without which transactions of others are not visible. */
async function orUnknown({ account }: ExaminedServer, why: string, check: () => Promise<Answer>): Promise<Answer> {
  try {
    return await check();
  } catch (error) {
    if (isAccessDenied(error)) {
      const advice = [
        `GRANT PROCESS ON *.* TO ${account};`,
        'Or run the doctor with an account that has this privilege.',
      ];
      return unknown('not visible without the PROCESS privilege', why, ...advice);
    }
    if (isNoText(error)) {
      return unknown('not visible while a statement with bytes that are no text runs', why, 'Run the doctor again.');
    }
    throw error;
  }
}
