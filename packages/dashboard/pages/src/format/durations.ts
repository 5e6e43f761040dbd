const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const inUnit = (unit: string, digits = 0) =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: digits });

const milliseconds = inUnit('millisecond');
const tenths = inUnit('second', 1);
const seconds = inUnit('second');
const minutes = inUnit('minute');
const hours = inUnit('hour');
const days = inUnit('day');

/** Formats a duration with its two largest units: 340ms, 4.2s, 3m 10s, 2h 5m, 3d 4h. */
export function formatDuration(duration: number): string {
  const ms = Math.max(0, duration);
  if (ms < SECOND) {
    return milliseconds.format(Math.round(ms));
  }
  if (ms < MINUTE) {
    return (ms < 10 * SECOND ? tenths : seconds).format(ms < 10 * SECOND ? ms / SECOND : Math.floor(ms / SECOND));
  }
  if (ms < HOUR) {
    return withRest(ms, MINUTE, minutes, SECOND, seconds);
  }
  return ms < DAY ? withRest(ms, HOUR, hours, MINUTE, minutes) : withRest(ms, DAY, days, HOUR, hours);
}

/** Formats how long something has been going on. Parts of a second would only flicker. */
export const formatElapsed = (duration: number): string =>
  duration < SECOND ? `<${seconds.format(1)}` : formatDuration(duration);

function withRest(
  ms: number,
  large: number,
  first: Intl.NumberFormat,
  small: number,
  second: Intl.NumberFormat,
): string {
  const rest = Math.floor((ms % large) / small);
  return first.format(Math.floor(ms / large)) + (rest === 0 ? '' : ` ${second.format(rest)}`);
}
