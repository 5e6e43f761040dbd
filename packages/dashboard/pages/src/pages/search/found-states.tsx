import type { JobState } from '../../contract.js';
import { STATES } from '../../format/labels.js';
import { formatNumber } from '../../format/numbers.js';

interface FoundStatesProps {
  readonly counts: Readonly<Record<JobState, number>>;
  /** The only state that is shown; undefined for all. */
  readonly state: JobState | undefined;
  readonly choose: (state: JobState | undefined) => void;
}

/** The other states in which the text was found, with the jobs found so far. */
export function FoundStates({ counts, state, choose }: FoundStatesProps) {
  const others = STATES.filter((other) => other !== state && counts[other] > 0);
  return (
    <p class="found-states" role="status">
      {state !== undefined && (
        <>
          Only {state} jobs are shown.{' '}
          <button type="button" class="button-link" onClick={() => choose(undefined)}>
            Show all states
          </button>{' '}
        </>
      )}
      {others.length > 0 && (
        <>
          {state === undefined ? 'Found in' : 'Also found in'}{' '}
          {others.map((other, index) => (
            <span key={other}>
              {index > 0 && ', '}
              <button type="button" class="button-link" onClick={() => choose(other)}>
                {other} ({formatNumber(counts[other])})
              </button>
            </span>
          ))}
        </>
      )}
    </p>
  );
}
