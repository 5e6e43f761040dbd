import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** The drifts, in ms, from which it is a warning and a problem. */
const NOTICEABLE = 1_000;
const WRONG = 60_000;

/** The difference between the clock of this machine and the server's, which the queue uses. */
export const clockDrift: Check<ExaminedServer> = {
  name: 'clock-drift',
  async run({ engine, query }) {
    const before = Date.now();
    const [row] = await query<{ present: number | string }>(sql`SELECT ${engine.dialect.now} AS present`);
    const after = Date.now();
    const drift = Math.round((before + after) / 2 - Number(row?.present));
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

interface Times {
  readonly zone: string;
  /** The offset of the session, in minutes. */
  readonly minutes: number | string;
  /** The difference between the server's two clocks, in s. */
  readonly apart: number | string;
}

/** The time zones of the session and of the driver. The queue's own times are UTC, in ms, and do not depend on them. */
export const timeZone: Check<ExaminedServer> = {
  name: 'time-zone',
  async run({ dataSource, query }) {
    const [times] = await query<Times>(
      sql`SELECT @@session.time_zone AS zone, TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) AS minutes,
              TIMESTAMPDIFF(SECOND, '1970-01-01', UTC_TIMESTAMP()) - UNIX_TIMESTAMP() AS apart`,
    );
    const { zone = '?', minutes = 0, apart = 0 } = times ?? {};
    if (Math.abs(Number(apart)) > 1) {
      return problem(
        `UTC_TIMESTAMP() and UNIX_TIMESTAMP() are ${apart} s apart`,
        'The clock or the time zone of the server is wrong, so jobs start at the wrong time.',
        'Set the system clock of the server to UTC, and its time zone in the operating system.',
      );
    }
    const { timezone = 'local' } = dataSource.options as { readonly timezone?: string };
    const ofDriver = offsetOf(timezone);
    const session = `session ${zone} (${inHours(Number(minutes))})`;
    const found = `${session}, driver ${timezone} (${inHours(ofDriver)}); the queue uses UTC`;
    return Number(minutes) === ofDriver
      ? ok(found)
      : warning(
          found,
          'In your own tables a Date from the driver and NOW() differ by the offset; the queue is not affected.',
          "SET GLOBAL time_zone = '+00:00';",
          "In the data source: timezone: 'Z'",
        );
  },
};

/** The offset, in minutes, of a time zone of mysql2: 'local', 'Z' or '±HH:MM'. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign) {
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  }
  return zone === 'local' ? -new Date().getTimezoneOffset() : 0;
}

function inHours(minutes: number): string {
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${Math.floor(size / 60)}:${String(size % 60).padStart(2, '0')}`;
}
