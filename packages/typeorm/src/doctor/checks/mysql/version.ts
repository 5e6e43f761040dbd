import {
  assertServerVersion,
  isBetween,
  supportsSkipLocked,
  wrongType,
} from '../../../engine/mysql/server/server-version.js';
import { UnsupportedDatabaseError } from '../../../errors/index.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** The server's flavour and version, and known defects of that version. */
export const version: Check<ExaminedServer> = {
  name: 'version',
  run({ version: { text, flavour, number }, globals, dataSource }) {
    const found = text.toLowerCase().includes(flavour.toLowerCase()) ? text : `${flavour} ${text}`;
    try {
      assertServerVersion(text);
    } catch (error) {
      if (error instanceof UnsupportedDatabaseError) {
        return problem(found, error.message, 'Use MySQL 8.0.1 or newer, or MariaDB 10.6 or newer.');
      }
      throw error;
    }
    if (!supportsSkipLocked(text)) {
      return warning(
        found,
        'It does not support SKIP LOCKED: workers claim by compare-and-set, and wait for locked rows.',
        'Use MySQL 8.0.1 or newer, or MariaDB 10.6 or newer.',
      );
    }
    // Release notes of Percona XtraDB Cluster and MySQL-wsrep 8.0.40-26.21 and 8.4.3-26.21.
    const crashes = number && (isBetween(number, [8, 0, 1], [8, 0, 40]) || isBetween(number, [8, 1, 0], [8, 4, 3]));
    if (flavour === 'MySQL' && globals.get('wsrep_on') === 'ON' && crashes) {
      return warning(
        found,
        'With Galera this version can crash when SKIP LOCKED meets a lock of the replication.',
        'Use 8.0.40-26.21, 8.4.3-26.21 or newer.',
      );
    }
    const wrong = wrongType(dataSource.options.type, text);
    // The command line takes the type from the scheme of its URL.
    return wrong ? warning(found, wrong.problem, `${wrong.advice} In --url, use ${wrong.right}://.`) : ok(found);
  },
};
