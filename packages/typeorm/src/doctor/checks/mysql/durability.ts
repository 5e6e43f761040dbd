import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** Whether a commit returns only after it is on the disk. */
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
    const crash = flush === '0' ? 'the server or its machine crashes' : 'the machine of the server crashes';
    // After a crash a node of Galera gets the lost commits from the others.
    const event = globals.get('wsrep_on') === 'ON' ? 'the machines of all nodes crash at once' : crash;
    const lost =
      flush === '1'
        ? 'replicas can miss the last commits: after a failover jobs are lost, or run again'
        : 'about a second of commits is lost: new jobs are lost, and finished jobs run again';
    return warning(found, `If ${event}, ${lost}. In return, commits are faster.`, ...change);
  },
};
