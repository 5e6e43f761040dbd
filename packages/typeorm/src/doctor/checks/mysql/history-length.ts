import { isAccessDenied } from '../../../engine/mysql/mysql-errors.js';
import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, problem, unknown, warning } from '../../finding.js';
import { processPrivilege } from './process-privilege.js';

/**
 * Chosen, not measured. 30,000 jobs that are gone and not purged take a claim from 2 to 26 ms where its lower bound does
 * not help: see `lockFirstReady`. A list of this length is several times what busy servers have.
 */
const LONG = 100_000;
/** And from this one on a server is in trouble of its own. */
const TOO_LONG = 5_000_000;

const WHY =
  'So many changes wait to be purged: claims walk over jobs that are gone, and the server keeps old versions of all rows.';

/** How much is left to purge. */
export const historyLength: Check<ExaminedServer> = {
  name: 'history-length',
  async run(server) {
    const { status, query } = server;
    let length = numberOf(status, 'innodb_history_list_length');
    if (Number.isNaN(length)) {
      try {
        const [row] = await query<{ length: number | string }>(
          "SELECT COUNT AS length FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'",
        );
        length = Number(row?.length);
      } catch (error) {
        if (isAccessDenied(error)) {
          return unknown('not to be seen without the PROCESS privilege', WHY, ...processPrivilege(server));
        }
        throw error;
      }
    }
    const found = `history list length ${length}`;
    const change = [
      'End the oldest transaction: see "open-transactions".',
      'Or raise innodb_purge_threads, with a restart.',
    ];
    if (length >= TOO_LONG) {
      return problem(found, WHY, ...change);
    }
    return length >= LONG ? warning(found, WHY, ...change) : ok(found);
  },
};
