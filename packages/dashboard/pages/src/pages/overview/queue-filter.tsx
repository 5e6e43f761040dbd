import type { QueueRow } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Link, pathTo } from '../../components/link.js';
import { labelOf } from './problem-list.js';
import { useParameters } from '../../state/parameters.js';

/** So many queues need no filter. */
const FEW = 8;

/** Filters the queues by the parameters in the URL: a part of the name, a kind of problem, and whether they have any. */
export function useQueueFilter(queues: readonly QueueRow[]) {
  const { parameters, change } = useParameters();
  const text = parameters.get('queues') ?? '';
  const isTroubleOnly = parameters.has('trouble');
  const kind = parameters.get('problem');
  const shown = queues.filter(
    ({ queue, problems }) =>
      queue.toLowerCase().includes(text.trim().toLowerCase()) &&
      (!isTroubleOnly || problems.length > 0) &&
      (kind === null || (problems as readonly string[]).includes(kind)),
  );
  return {
    shown,
    text,
    isTroubleOnly,
    kind,
    inTrouble: queues.filter(({ problems }) => problems.length > 0).length,
    setText: (queuesText: string) => change({ queues: queuesText }),
    setTroubleOnly: (only: boolean) => change({ trouble: only ? '1' : undefined }),
  };
}

interface QueueFilterProps {
  readonly total: number;
  readonly filter: ReturnType<typeof useQueueFilter>;
}

export function QueueFilter({ total, filter }: QueueFilterProps) {
  const { shown, text, kind, isTroubleOnly, inTrouble, setText, setTroubleOnly } = filter;
  if (total <= FEW && text === '' && kind === null && !isTroubleOnly) {
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
        {kind !== null && (
          <>
            : {labelOf(kind)}. <Link to={pathTo('/')}>Show all queues</Link>
          </>
        )}
      </p>
    </form>
  );
}
