import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** Whether a commit has reached the disk when it is answered. */
export const durability: Check<ExaminedServer> = {
  name: 'durability',
  run({ globals }) {
    const flush = globals.get('innodb_flush_log_at_trx_commit') ?? '1';
    const sync = globals.get('log_bin') === 'ON' ? (globals.get('sync_binlog') ?? '1') : undefined;
    const found =
      `innodb_flush_log_at_trx_commit = ${flush}` +
      (sync === undefined ? ', no binary log' : `, sync_binlog = ${sync}`);
    const change = [
      ...(flush === '1' ? [] : ['SET GLOBAL innodb_flush_log_at_trx_commit = 1;']),
      ...(sync === undefined || sync === '1' ? [] : ['SET GLOBAL sync_binlog = 1;']),
    ];
    if (change.length === 0) {
      return ok(found);
    }
    const died = flush === '0' ? 'server or its machine dies' : 'machine of the server dies';
    // A node that comes back gets from the others what it has lost.
    const dies = globals.get('wsrep_on') === 'ON' ? 'machines of all nodes die at once' : died;
    const lost =
      flush === '1'
        ? 'replicas may miss the last commits: after a failover jobs are gone, or run again'
        : 'about a second of commits is lost: jobs that were enqueued are gone, finished ones run again';
    return warning(found, `When the ${dies}, ${lost}. In exchange commits are faster.`, ...change);
  },
};
