import { computed, signal } from '@preact/signals';

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  // With the time zone.
  timeStyle: 'long',
});
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export const MINUTE = 60_000;
export const DAY = 86_400_000;

const UNITS = [
  ['day', DAY],
  ['hour', 3_600_000],
  ['minute', MINUTE],
  ['second', 1000],
] as const;

/** How far the clock of the database is ahead of the browser's, in ms. All times come from the database. */
let ahead = 0;

export function syncClock(takenAt: number): void {
  ahead = takenAt - Date.now();
  now.value = takenAt;
}

/** The time of the database, updated once a second. */
export const now = signal(Date.now());

/** The time of the database, rounded down to the minute. */
export const minute = computed(() => Math.floor(now.value / MINUTE) * MINUTE);

export const databaseNow = (): number => Date.now() + ahead;

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) {
      now.value = databaseNow();
    }
  }, 1000);
}

/** Formats "3 min. ago", "in 2 hr." or "now". */
export function formatRelative(at: number, from: number): string {
  const distance = at - from;
  for (const [unit, size] of UNITS) {
    if (Math.abs(distance) >= size) {
      return relative.format(Math.trunc(distance / size), unit);
    }
  }
  return 'now';
}

/** Formats date, time and time zone, in the time zone of the user. */
export const formatExact = (at: number): string => exact.format(at);

export const formatClock = (at: number): string => clock.format(at);

export const formatClockWithSeconds = (at: number): string => clockWithSeconds.format(at);

/** Formats the time for today, and the date and time for other days. */
export function formatMoment(at: number, from: number): string {
  const sameDay = new Date(at).toDateString() === new Date(from).toDateString();
  return sameDay ? clockWithSeconds.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

/** Formats the value of a datetime-local field, in the time zone of the user. Returns '' for an invalid time. */
export function toField(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const two = (number: number) => String(number).padStart(2, '0');
  const [year, month] = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1)];
  return `${year}-${month}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Parses the value of a datetime-local field to ms since 1970. Returns undefined if it is empty or incomplete. */
export function fromField(text: string): string | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) || at < 0 ? undefined : String(at);
}
