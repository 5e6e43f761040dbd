import { PAGE } from '../../api/queries.js';
import { Icon } from '../../components/icon.js';
import type { QueuePage } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';

interface QueuePagerProps {
  readonly page: QueuePage;
  readonly showFrom: (offset: number) => void;
}

/** The buttons below a page of queues. */
export function QueuePager({ page: { queues, offset, matching }, showFrom }: QueuePagerProps) {
  if (offset === 0 && matching <= PAGE) {
    return null;
  }
  const end = offset + queues.length;
  const range = queues.length === 0 ? 'None' : `${formatNumber(offset + 1)}–${formatNumber(end)}`;
  return (
    <nav class="pager" aria-label="Pages of the queues">
      <p class="quiet" role="status">
        {range} of {formatNumber(matching)}
      </p>
      <button
        type="button"
        class="button"
        disabled={offset === 0}
        // Queues may have disappeared, so that the page is beyond the last one.
        onClick={() => showFrom(Math.max(0, Math.min(offset, matching) - PAGE))}
      >
        <Icon name="previous" />
        Previous
      </button>
      <button type="button" class="button" disabled={end >= matching} onClick={() => showFrom(offset + PAGE)}>
        Next
        <Icon name="next" />
      </button>
    </nav>
  );
}
