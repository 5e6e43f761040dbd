import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, warning } from '../../finding.js';

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
