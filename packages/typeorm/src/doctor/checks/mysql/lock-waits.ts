import type { Check } from '../../check.js';
import { type ExaminedServer, numberOf } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** Longer than this, in s, nobody wants a request to hang. */
const LONGEST = 120;

/** How long the application waits for a lock: an enqueue with a unique key waits for whoever has it. Workers set their own. */
export const lockWaits: Check<ExaminedServer> = {
  name: 'lock-waits',
  run({ variables }) {
    const seconds = numberOf(variables, 'innodb_lock_wait_timeout');
    const found = `innodb_lock_wait_timeout = ${seconds} s; workers use 5 s or less`;
    if (variables.get('innodb_deadlock_detect') === 'OFF') {
      return warning(
        `innodb_deadlock_detect = OFF, ${found}`,
        'A deadlock, of which any busy application has some, is only ended by that time.',
        'SET GLOBAL innodb_deadlock_detect = ON;',
      );
    }
    return seconds > LONGEST
      ? warning(
          found,
          'An enqueue with a unique key hangs that long behind a transaction that was forgotten, with its connection.',
          'SET GLOBAL innodb_lock_wait_timeout = 50;',
        )
      : ok(found);
  },
};
