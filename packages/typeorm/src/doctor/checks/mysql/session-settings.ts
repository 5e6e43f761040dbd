import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** The isolation level of the application's transactions, in which jobs are enqueued. Workers set their own. */
export const isolation: Check<ExaminedServer> = {
  name: 'isolation',
  run({ dataSource, variables }) {
    const configured = (dataSource.options as { readonly isolationLevel?: string }).isolationLevel;
    const session = variables.get('transaction_isolation') ?? variables.get('tx_isolation') ?? '';
    const level = (configured ?? session).replaceAll(' ', '-').toUpperCase();
    const isolatesSnapshots = variables.get('innodb_snapshot_isolation') === 'ON' && level === 'REPEATABLE-READ';
    const found = [
      `${level}${configured ? ', from the data source' : ''}`,
      // The statements of the application, not those of the queue: see docs/decisions/0100.
      ...(isolatesSnapshots ? ['innodb_snapshot_isolation = ON: retry your transactions after error 1020'] : []),
      'workers use READ-COMMITTED',
    ].join('; ');
    switch (level) {
      case 'SERIALIZABLE':
        return warning(
          found,
          'Every SELECT of a transaction locks the rows it reads: enqueues and workers deadlock.',
          'SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED; -- or REPEATABLE READ',
        );
      case 'READ-UNCOMMITTED':
        return warning(
          found,
          'In your transactions, calls such as find() and cancel() see changes that others may roll back. Outside ' +
            'them the queue uses READ COMMITTED, with three more round trips for each read.',
          'SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED; -- or REPEATABLE READ',
        );
      default:
        return ok(found);
    }
  },
};

/** The longest reasonable wait of a request, in s. */
const LONGEST = 120;

/** How long the application waits for a lock, for example for a unique key. Workers set their own timeout. */
export const lockWaits: Check<ExaminedServer> = {
  name: 'lock-waits',
  run({ variables }) {
    const seconds = numberOf(variables, 'innodb_lock_wait_timeout');
    const found = `innodb_lock_wait_timeout = ${seconds} s; workers use 5 s or less`;
    if (variables.get('innodb_deadlock_detect') === 'OFF') {
      return warning(
        `innodb_deadlock_detect = OFF, ${found}`,
        'Deadlocks, which occur in every busy application, end only after that time.',
        'SET GLOBAL innodb_deadlock_detect = ON;',
      );
    }
    return seconds > LONGEST
      ? warning(
          found,
          'An enqueue with a unique key, and its connection, can wait that long for a transaction that stays open.',
          'SET GLOBAL innodb_lock_wait_timeout = 50;',
        )
      : ok(found);
  },
};

const STRICT = ['STRICT_TRANS_TABLES', 'STRICT_ALL_TABLES'];

/** The SQL modes of the application's session that change the meaning of statements. */
export const sqlMode: Check<ExaminedServer> = {
  name: 'sql-mode',
  run({ variables }) {
    const text = variables.get('sql_mode') ?? '';
    const modes = text.split(',');
    if (modes.includes('NO_BACKSLASH_ESCAPES')) {
      return problem(
        'sql_mode has NO_BACKSLASH_ESCAPES',
        'mysql2 escapes with backslashes: payloads with quotes are stored incorrectly, or executed as SQL.',
        "SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, 'NO_BACKSLASH_ESCAPES', '');",
      );
    }
    if (modes.includes('EMPTY_STRING_IS_NULL')) {
      return problem(
        'sql_mode has EMPTY_STRING_IS_NULL',
        'An empty text is NULL, so lists that start at the empty text have no entries. The queue refuses such sessions.',
        "SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, 'EMPTY_STRING_IS_NULL', '');",
      );
    }
    if (!STRICT.some((mode) => modes.includes(mode))) {
      return warning(
        `sql_mode = '${text}', not strict`,
        'Values that are too long for a column are truncated without an error, also in your own tables.',
        "SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES');",
        'my.cnf: sql_mode = STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
      );
    }
    return ok('strict');
  },
};
