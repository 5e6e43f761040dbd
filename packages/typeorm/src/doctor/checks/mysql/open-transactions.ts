import { isAccessDenied } from '../../../engine/mysql/mysql-errors.js';
import { mysqlSnapshots } from '../../../engine/mysql/mysql-snapshots.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, unknown, warning } from '../../finding.js';
import { processPrivilege } from './process-privilege.js';

interface Transaction {
  readonly thread: number | string;
  readonly age: number | string;
  readonly changed: number | string;
}

/** The oldest snapshot of the whole server: it prevents the purge of deleted rows, also in other tables. */
export const openTransactions: Check<ExaminedServer> = {
  name: 'open-transactions',
  async run(server) {
    const { query, limits } = server;
    let oldest: Transaction | undefined;
    try {
      [oldest] = await query<Transaction>(mysqlSnapshots.oldest);
    } catch (error) {
      if (isAccessDenied(error)) {
        return unknown('not visible without the PROCESS privilege', WHY, ...processPrivilege(server));
      }
      throw error;
    }
    const age = Math.max(0, Number(oldest?.age ?? 0));
    const found = oldest
      ? `the oldest is open for ${Math.floor(age / 1000)} s, thread ${oldest.thread}`
      : 'none is open';
    if (!oldest || age < limits.maxTransactionAge) {
      return ok(found);
    }
    const changed = Number(oldest.changed) > 0 ? `, ${oldest.changed} rows changed` : '';
    return warning(`${found}${changed}`, WHY, `KILL ${oldest.thread}; -- after checking what it does`);
  },
};

const WHY = 'Deleted rows are not purged until it ends: claims read the index entries of deleted jobs, and slow down.';
