import { readClock } from '../../../store/base/read-clock.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** In ms. */
const NOTICEABLE = 1_000;
const WRONG = 60_000;

/** The clock of this machine beside that of the server, which is the one that counts. */
export const clockDrift: Check<ExaminedServer> = {
  name: 'clock-drift',
  async run({ engine }) {
    const before = Date.now();
    const server = await engine.execute(readClock, { purpose: 'read the clock', readOnly: true });
    const after = Date.now();
    const drift = Math.round((before + after) / 2 - server);
    const found = `this machine is ${Math.abs(drift)} ms ${drift < 0 ? 'behind' : 'ahead of'} the server, ± ${Math.ceil((after - before) / 2)} ms`;
    const why =
      'Jobs with a runAt, which this machine reckons, start that much too early or too late; delays are right.';
    const change = 'Let both machines keep their time by NTP: chronyc tracking, timedatectl';
    const size = Math.abs(drift) - (after - before) / 2;
    if (size >= WRONG) {
      return problem(found, why, change);
    }
    return size >= NOTICEABLE ? warning(found, why, change) : ok(found);
  },
};
