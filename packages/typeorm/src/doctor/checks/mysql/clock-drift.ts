import { readClock } from '../../../store/base/read-clock.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** The drifts, in ms, from which it is a warning and a problem. */
const NOTICEABLE = 1_000;
const WRONG = 60_000;

/** The difference between the clock of this machine and the server's, which the queue uses. */
export const clockDrift: Check<ExaminedServer> = {
  name: 'clock-drift',
  async run({ engine }) {
    const before = Date.now();
    const server = await engine.execute(readClock, { purpose: 'read the clock', readOnly: true });
    const after = Date.now();
    const drift = Math.round((before + after) / 2 - server);
    const error = Math.ceil((after - before) / 2);
    const direction = drift < 0 ? 'behind' : 'ahead of';
    const found = `this machine is ${Math.abs(drift)} ms ${direction} the server, ± ${error} ms`;
    const why = 'Jobs with a runAt that this machine calculates start too early or too late. Delays are correct.';
    const change = 'Synchronize both machines with NTP: see chronyc tracking or timedatectl.';
    const size = Math.abs(drift) - (after - before) / 2;
    if (size >= WRONG) {
      return problem(found, why, change);
    }
    return size >= NOTICEABLE ? warning(found, why, change) : ok(found);
  },
};
