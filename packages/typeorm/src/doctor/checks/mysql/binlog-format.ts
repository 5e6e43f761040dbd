import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

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
