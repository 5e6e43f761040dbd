import { formatDuration, formatElapsed } from '../format/durations.js';
import { EmptyValue } from './empty-value.js';
import { formatExact, formatMoment, formatRelative, now } from '../format/times.js';

interface TimeProps {
  readonly at: number | null;
  /** The text for a missing time. Default: a dash. */
  readonly none?: string;
}

/** Shows "3 min. ago", with date and time as a tooltip. */
export function Time({ at, none }: TimeProps) {
  if (at === null) {
    return <EmptyValue>{none}</EmptyValue>;
  }
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {formatRelative(at, now.value)}
    </time>
  );
}

/** Shows the time of day, with the date as a tooltip. */
export function Moment({ at, none }: TimeProps) {
  if (at === null) {
    return <EmptyValue>{none}</EmptyValue>;
  }
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {formatMoment(at, now.value)}
    </time>
  );
}

/** Shows the duration since a time, which keeps increasing. */
export function Since({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={`Since ${formatExact(at)}`}>
      {formatElapsed(now.value - at)}
    </time>
  );
}

/** Shows how old something is, with its time as a tooltip. */
export function Age({ ms, none }: { readonly ms: number | null; readonly none?: string }) {
  // Not the running clock: the age is as old as the other figures beside it.
  return ms === null ? (
    <EmptyValue>{none}</EmptyValue>
  ) : (
    <span class="number" title={`Since ${formatExact(now.peek() - ms)}`}>
      {formatDuration(ms)}
    </span>
  );
}

export function Duration({ ms, none }: { readonly ms: number | null; readonly none?: string }) {
  return ms === null ? <EmptyValue>{none}</EmptyValue> : <span class="number">{formatDuration(ms)}</span>;
}
