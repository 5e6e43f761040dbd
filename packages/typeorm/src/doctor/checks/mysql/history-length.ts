import { isAccessDenied } from '../../../engine/mysql/mysql-errors.js';
import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, problem, unknown, warning } from '../../finding.js';
import { processPrivilege } from './process-privilege.js';

/** Several times the length on busy servers. 30,000 deleted, unpurged jobs can slow a claim down from 2 to 26 ms. */
const LONG = 100_000;
/** From this length on the whole server is slow. */
const TOO_LONG = 5_000_000;

const WHY = 'Changes that wait to be purged slow claims down: these read the index entries of deleted jobs.';

/** The number of changes that wait to be purged. */
export const historyLength: Check<ExaminedServer> = {
  name: 'history-length',
  async run(server) {
    const { status, query } = server;
    let length = numberOf(status, 'innodb_history_list_length');
    if (Number.isNaN(length)) {
      try {
        const [row] = await query<{ length: number | string }>(
          sql`SELECT COUNT AS length FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'`,
        );
        length = Number(row?.length);
      } catch (error) {
        if (isAccessDenied(error)) {
          return unknown('not visible without the PROCESS privilege', WHY, ...processPrivilege(server));
        }
        throw error;
      }
    }
    const found = `history list length ${length}`;
    const change = [
      'End the oldest transaction: see "open-transactions".',
      'Or increase innodb_purge_threads, which needs a restart.',
    ];
    if (length >= TOO_LONG) {
      return problem(found, WHY, ...change);
    }
    return length >= LONG ? warning(found, WHY, ...change) : ok(found);
  },
};
