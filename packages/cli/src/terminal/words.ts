import ms from 'ms';

/** `1 job`, `2 jobs`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A span in its largest unit: `5m`. */
export function spanOf(milliseconds: number): string {
  return ms(Math.max(0, Math.round(milliseconds)));
}

/** A time, in UTC, to the second. */
export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
