import type { QueuePage } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Link, pathTo } from '../../components/link.js';
import { labelOf } from './problem-list.js';
import { useParameters } from '../../state/parameters.js';

/** So many queues need no filter. */
const FEW = 8;

/** The longest name of a queue. */
const LONGEST_NAME = 64;

/**
 * Reads from the URL which queues to show: a part of the name, a kind of problem, and whether they have any. Another
 * filter shows the first page.
 */
export function useQueueFilter() {
  const { parameters, change } = useParameters();
  return {
    text: parameters.get('queues') ?? '',
    isTroubleOnly: parameters.has('trouble'),
    kind: parameters.get('problem') ?? undefined,
    setText: (text: string) => change({ queues: text, from: undefined }),
    setTroubleOnly: (only: boolean) => change({ trouble: only ? '1' : undefined, from: undefined }),
  };
}

interface QueueFilterProps {
  /** The number of all queues. */
  readonly total: number;
  /** Undefined until the first response. */
  readonly page: QueuePage | undefined;
  readonly filter: ReturnType<typeof useQueueFilter>;
}

export function QueueFilter({ total, page, filter }: QueueFilterProps) {
  const { text, kind, isTroubleOnly, setText, setTroubleOnly } = filter;
  if (total <= FEW && text === '' && kind === undefined && !isTroubleOnly) {
    return null;
  }
  return (
    <form class="filters queue-filter" role="search" aria-label="Queues" onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span>Name contains</span>
        <input
          type="search"
          value={text}
          maxLength={LONGEST_NAME}
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
        Only trouble{page && ` (${formatNumber(page.inTrouble)})`}
      </label>
      <p class="quiet" role="status">
        {page && page.matching < total && `${formatNumber(page.matching)} of ${formatNumber(total)} queues`}
        {kind !== undefined && (
          <>
            : {labelOf(kind)}. <Link to={pathTo('/')}>Show all queues</Link>
          </>
        )}
      </p>
    </form>
  );
}
