import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, unknown, warning } from '../../finding.js';
import { isPrivilegeMissing, processPrivilege } from './process-privilege.js';

interface Transaction {
  readonly thread: number | string;
  readonly age: number | string;
  readonly changed: number | string;
}

/** The oldest transaction of the whole server: its snapshot keeps deleted rows from being purged, also in other tables. */
export const openTransactions: Check<ExaminedServer> = {
  name: 'open-transactions',
  async run(server) {
    const { query, limits } = server;
    let oldest: Transaction | undefined;
    try {
      // The server keeps the start in its own time zone, whatever the session's.
      [oldest] = await query<Transaction>(
        `SELECT trx_mysql_thread_id AS thread, trx_rows_modified AS changed,
                TIMESTAMPDIFF(SECOND, trx_started, CONVERT_TZ(NOW(), @@session.time_zone, 'SYSTEM')) AS age
         FROM information_schema.INNODB_TRX ORDER BY trx_started LIMIT 1`,
      );
    } catch (error) {
      if (isPrivilegeMissing(error)) {
        return unknown('not to be seen without the PROCESS privilege', WHY, ...processPrivilege(server));
      }
      throw error;
    }
    const age = Number(oldest?.age ?? 0);
    const found = oldest ? `the oldest is open for ${age} s, thread ${oldest.thread}` : 'none is open';
    if (!oldest || age * 1000 < limits.maxTransactionAge) {
      return ok(found);
    }
    const changed = Number(oldest.changed) > 0 ? `, ${oldest.changed} rows changed` : '';
    return warning(`${found}${changed}`, WHY, `KILL ${oldest.thread}; -- after a look at what it is`);
  },
};

const WHY = 'While it lasts no deleted row is purged: claims walk over the jobs that are gone, and slow down.';
