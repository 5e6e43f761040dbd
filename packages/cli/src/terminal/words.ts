import ms from 'ms';

/** Returns a count with its noun: `1 job`, `2 jobs`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a duration in its largest unit: `5m`. */
export function spanOf(milliseconds: number): string {
  return ms(Math.max(0, Math.round(milliseconds)));
}

/** Formats a time in UTC, to the second. */
export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
