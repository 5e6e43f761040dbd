import { computed, signal } from '@preact/signals';

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
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

/** How far the database's clock is ahead of the browser's: ages are told by the clock that made the times. */
let ahead = 0;

export function learnDatabaseTime(takenAt: number): void {
  ahead = takenAt - Date.now();
  now.value = takenAt;
}

/** The database's time, which moves once a second. */
export const now = signal(Date.now());

/** The minute that it is by the database's clock. */
export const minute = computed(() => Math.floor(now.value / MINUTE) * MINUTE);

export const databaseNow = (): number => Date.now() + ahead;

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) {
      now.value = databaseNow();
    }
  }, 1000);
}

/** "3 min. ago", "in 2 hr.", "now". */
export function formatRelative(at: number, from: number): string {
  const distance = at - from;
  for (const [unit, size] of UNITS) {
    if (Math.abs(distance) >= size) {
      return relative.format(Math.trunc(distance / size), unit);
    }
  }
  return 'now';
}

/** With the date, in the zone of whoever looks. */
export const formatExact = (at: number): string => exact.format(at);

export const formatClock = (at: number): string => clock.format(at);

export const formatClockWithSeconds = (at: number): string => clockWithSeconds.format(at);

/** The time of today, and the date of other days before it. */
export function formatMoment(at: number, from: number): string {
  const sameDay = new Date(at).toDateString() === new Date(from).toDateString();
  return sameDay ? clockWithSeconds.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

/** What a field for a date and a time takes: in the zone of whoever looks, to the minute. Nothing for what is no time. */
export function toField(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const two = (number: number) => String(number).padStart(2, '0');
  const [year, month] = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1)];
  return `${year}-${month}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What such a field says, in ms since 1970; undefined while it is empty or not complete. */
export function fromField(text: string): string | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) || at < 0 ? undefined : String(at);
}
