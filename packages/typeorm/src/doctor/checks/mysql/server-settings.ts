import { executeRead } from '../../../engine/engine.js';
import { CONNECTIONS } from '../../../engine/mysql/connections/worker-pool.js';
import { findWorkers } from '../../../store/workers/find-workers.js';
import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** Whether the binary log accepts writes at READ COMMITTED: in the format STATEMENT it does not. */
export const binlogFormat: Check<ExaminedServer> = {
  name: 'binlog-format',
  run({ globals }) {
    if (globals.get('log_bin') !== 'ON') {
      return ok('no binary log');
    }
    const format = globals.get('binlog_format') ?? 'ROW';
    return format === 'STATEMENT'
      ? problem(
          'binlog_format = STATEMENT',
          'Workers write at READ COMMITTED. With this format the server refuses that with error 1665.',
          "SET GLOBAL binlog_format = 'ROW';",
          'my.cnf: binlog_format = ROW',
        )
      : ok(`binlog_format = ${format}`);
  },
};

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

const MIB = 1024 * 1024;

/** The rest of a statement beside its payload, at most: names, keys, ids. */
const REST = 64 * 1024;

/** Every byte of a payload can be escaped as two. */
const ESCAPED = 2;

/** Whether the server accepts a job with the largest payload. The queue splits statements of many jobs. */
export const packetSize: Check<ExaminedServer> = {
  name: 'packet-size',
  run({ globals, limits }) {
    const size = numberOf(globals, 'max_allowed_packet');
    const found = `max_allowed_packet = ${inMib(size)}, largest payload ${inMib(limits.maxPayloadBytes)}`;
    const one = ESCAPED * limits.maxPayloadBytes + REST;
    const wanted = Math.max(16, 2 ** Math.ceil(Math.log2(one / MIB)));
    const change = [`SET GLOBAL max_allowed_packet = ${wanted * MIB};`, `my.cnf: max_allowed_packet = ${wanted}M`];
    if (size < one) {
      const why =
        'The INSERT of a job with the largest payload exceeds this limit when it is escaped: the enqueue fails.';
      const most = Math.floor((size - REST) / ESCAPED);
      return problem(found, why, ...change, ...(most > 0 ? [`Or set maxPayloadBytes of the queue to ${most}.`] : []));
    }
    return ok(found);
  },
};

function inMib(bytes: number): string {
  return `${Number((bytes / MIB).toFixed(2))} MiB`;
}

/** The connections of a worker's pool, and the one that holds its lock. */
const PER_WORKER = CONNECTIONS + 1;

/** Whether the server has free connections. */
export const connections: Check<ExaminedServer> = {
  name: 'connections',
  async run({ engine, globals, status }) {
    const most = numberOf(globals, 'max_connections');
    const open = numberOf(status, 'threads_connected');
    const peak = numberOf(status, 'max_used_connections');
    // Without a free connection this fails too.
    const workers = await executeRead(engine, 'read the workers', findWorkers).catch(() => undefined);
    const found =
      `${open} of ${most} open, at most ${peak} since the server's start; ` +
      `registered workers: ${workers?.length ?? 'unknown'}, each with up to ${PER_WORKER} beside its application's pool`;
    const why = 'Without free connections enqueues fail, and workers lose their lease, so that jobs run twice.';
    const change = [
      `SET GLOBAL max_connections = ${Math.max(200, most * 2)};`,
      'Or use smaller pools in the application.',
    ];
    return peak >= most || open > 0.8 * most ? warning(found, why, ...change) : ok(found);
  },
};
