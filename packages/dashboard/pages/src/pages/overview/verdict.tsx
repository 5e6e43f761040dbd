import type { Overview } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Icon } from '../../components/icon.js';
import { ProblemList } from './problem-list.js';

/** Shows whether all is well, or what is wrong, above everything else on the page. */
export function Verdict({ overview: { status, problems, queueCount, workers } }: { readonly overview: Overview }) {
  const needing = problems.filter(({ severity }) => severity !== 'notice');
  return (
    <section aria-labelledby="verdict">
      {needing.length === 0 ? (
        <div class="calm">
          <Icon name="check" />
          <p>
            <b id="verdict">All is well.</b> {counted(queueCount, 'queue')}, {counted(workers, 'worker')}
            {problems.length === 0 ? '' : `, ${counted(problems.length, 'note')}`}.
          </p>
        </div>
      ) : (
        <h2 id="verdict" class={`verdict verdict-${status}`}>
          {needing.length === 1 ? '1 problem needs you' : `${needing.length} problems need you`}
        </h2>
      )}
      {problems.length > 0 && <ProblemList problems={problems} />}
    </section>
  );
}

const counted = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
