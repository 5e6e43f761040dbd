import type { Total } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { formatCompact, formatNumber, formatTotal } from '../../format/numbers.js';
import { now } from '../../format/times.js';

/** A change that is too small for a mark: a hundredth of the count. */
const STEADY = 0.01;

/** A total with its trend; its age as a tooltip. */
export function TotalValue({ total }: { readonly total: Total }) {
  const { count, isEstimate, isCapped, countedAt, perMinute } = total;
  const age = formatDuration(now.value - countedAt);
  const title = isCapped
    ? 'At least: counting goes on'
    : `${formatNumber(count)}${isEstimate ? `, counted ${age} ago while jobs moved on` : ''}`;
  const isSteady = perMinute === null || Math.abs(perMinute) < Math.max(1, count * STEADY);
  return (
    <span title={title}>
      {formatTotal(total)}
      {!isSteady && (
        <span class="trend quiet">
          <span aria-hidden="true">{perMinute > 0 ? ' ↑ ' : ' ↓ '}</span>
          <span class="unseen">{perMinute > 0 ? ', rising by ' : ', falling by '}</span>
          {formatCompact(Math.round(Math.abs(perMinute)))}/min
        </span>
      )}
    </span>
  );
}
