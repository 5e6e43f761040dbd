import { useState } from 'preact/hooks';

import { DAY, databaseNow, fromField, toField } from '../../format/times.js';
import { isLive } from '../../format/labels.js';
import type { JobQuery } from './job-query.js';

const SPANS = [
  ['', 'Any time'],
  ['900000', 'Last 15 minutes'],
  ['3600000', 'Last hour'],
  [String(DAY), 'Last day'],
  ['604800000', 'Last week'],
] as const;
const BETWEEN = 'between';

interface TimeFilterProps {
  readonly query: JobQuery;
  readonly change: (changes: Partial<JobQuery>, options?: { replace: boolean }) => void;
}

/** A span back from now, or a range that may be open at one end. */
export function TimeFilter({ query, change }: TimeFilterProps) {
  const [isRangeOpen, setRangeOpen] = useState(false);
  const { within, from, to, state } = query;
  const isBetween = from !== undefined || to !== undefined || isRangeOpen;
  const choose = (value: string) => {
    setRangeOpen(value === BETWEEN);
    change(
      value === BETWEEN
        ? { within: undefined, from: String(databaseNow() - DAY) }
        : { within: value || undefined, from: undefined, to: undefined },
    );
  };
  const what = isLive(state) ? 'Due' : 'Ended';
  return (
    <>
      <label class="field">
        <span>Time</span>
        <select value={isBetween ? BETWEEN : (within ?? '')} onChange={(event) => choose(event.currentTarget.value)}>
          {SPANS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          <option value={BETWEEN}>Between …</option>
        </select>
      </label>
      {isBetween && (
        <>
          <Moment title={`${what} from`} at={from} change={(at) => change({ from: at }, { replace: true })} />
          <Moment title={`${what} before`} at={to} change={(at) => change({ to: at }, { replace: true })} />
        </>
      )}
    </>
  );
}

interface MomentProps {
  readonly title: string;
  readonly at: string | undefined;
  readonly change: (at: string | undefined) => void;
}

const Moment = ({ title, at, change }: MomentProps) => (
  <label class="field field-moment">
    <span>{title}</span>
    <input
      type="datetime-local"
      value={at === undefined ? '' : toField(Number(at))}
      onChange={({ currentTarget }) => change(fromField(currentTarget.value))}
    />
  </label>
);
