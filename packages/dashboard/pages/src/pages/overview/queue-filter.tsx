import type { Overview, QueueRow } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { useParameters } from '../../state/parameters.js';

/** The failure rate that is shown in red. */
export const HIGH_FAILURE_RATE = 0.05;

/** So many queues need no filter. */
const FEW = 8;

/** Filters the queues by the parameters in the URL: a part of the name, and whether they are in trouble. */
export function useQueueFilter({ queues, attention }: Overview) {
  const { parameters, change } = useParameters();
  const text = parameters.get('queues') ?? '';
  const isTroubleOnly = parameters.has('trouble');
  const mentioned = new Set(attention.map(({ queue }) => queue));
  const isInTrouble = (row: QueueRow) => mentioned.has(row.queue) || hasTrouble(row);
  const shown = queues.filter(
    (row) => row.queue.toLowerCase().includes(text.trim().toLowerCase()) && (!isTroubleOnly || isInTrouble(row)),
  );
  return {
    shown,
    text,
    isTroubleOnly,
    inTrouble: queues.filter(isInTrouble).length,
    setText: (queuesText: string) => change({ queues: queuesText }),
    setTroubleOnly: (only: boolean) => change({ trouble: only ? '1' : undefined }),
  };
}

const hasTrouble = ({ pausedAt, failureRate, workers, counts }: QueueRow): boolean =>
  pausedAt !== null || (failureRate ?? 0) >= HIGH_FAILURE_RATE || (workers === 0 && counts.ready.count > 0);

interface QueueFilterProps {
  readonly total: number;
  readonly filter: ReturnType<typeof useQueueFilter>;
}

export function QueueFilter({ total, filter }: QueueFilterProps) {
  const { shown, text, isTroubleOnly, inTrouble, setText, setTroubleOnly } = filter;
  if (total <= FEW && text === '' && !isTroubleOnly) {
    return null;
  }
  return (
    <form class="filters queue-filter" role="search" aria-label="Queues" onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span>Name contains</span>
        <input
          type="search"
          value={text}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={isTroubleOnly}
          onChange={({ currentTarget }) => setTroubleOnly(currentTarget.checked)}
        />
        Only trouble ({formatNumber(inTrouble)})
      </label>
      <p class="quiet" role="status">
        {shown.length < total && `${formatNumber(shown.length)} of ${formatNumber(total)} queues`}
      </p>
    </form>
  );
}
