import { formatDuration } from '../format/durations.js';
import { None } from './none.js';
import { formatExact, formatMoment, formatRelative, now } from '../format/times.js';

interface TimeProps {
  readonly at: number | null;
  /** What stands there without a time. */
  readonly none?: string;
}

/** "3 min. ago", with the date and time when pointed at. */
export function Time({ at, none }: TimeProps) {
  if (at === null) {
    return <None>{none}</None>;
  }
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {formatRelative(at, now.value)}
    </time>
  );
}

/** The time of day, with the date when pointed at. */
export function Moment({ at, none }: TimeProps) {
  if (at === null) {
    return <None>{none}</None>;
  }
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {formatMoment(at, now.value)}
    </time>
  );
}

/** How long ago that was, without "ago": it goes on. */
export function Since({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={`Since ${formatExact(at)}`}>
      {formatDuration(now.value - at)}
    </time>
  );
}

export function Duration({ ms, none }: { readonly ms: number | null; readonly none?: string }) {
  return ms === null ? <None>{none}</None> : <span class="number">{formatDuration(ms)}</span>;
}
