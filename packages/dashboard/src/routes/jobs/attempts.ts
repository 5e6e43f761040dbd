import type { JobSnapshot } from '@tablequeue/typeorm';

import type { Attempt } from '../../contract/index.js';

/** The number of latest attempts that are shown. Earlier ones are shown too if they have an error. */
const MOST_ATTEMPTS = 20;

/**
 * Derives the attempts of a job from its stored errors and counters.
 *
 * Only failed attempts are stored. Any other attempt was interrupted, unless it is the last one of a job that runs or
 * succeeded. The attempts after the last error crashed if there are as many crashes as such attempts. With fewer
 * crashes, some were returned or snoozed, and the data does not show which.
 */
export function attemptsOf(job: JobSnapshot): Attempt[] {
  const { attempt: last, state, claimedAt, finishedAt, errors, crashes = 0 } = job;
  const isRunning = state === 'running';
  const lastError = errors.at(-1)?.attempt ?? 0;
  const haveCrashed = crashes === last - Number(isRunning) - lastError;
  const firstShown = Math.max(1, last - MOST_ATTEMPTS + 1);
  const errorOf = new Map(errors.map((each) => [each.attempt, each]));
  const attempts = errors.filter(({ attempt }) => attempt < firstShown).map(failedAttempt);
  for (let attempt = firstShown; attempt <= last; attempt++) {
    const failure = errorOf.get(attempt);
    if (failure) {
      attempts.push(failedAttempt(failure));
    } else if (attempt === last && (isRunning || state === 'succeeded')) {
      const [startedAt, endedAt] = [claimedAt?.getTime() ?? null, finishedAt?.getTime() ?? null];
      attempts.push({ attempt, startedAt, endedAt, outcome: state, error: null, stack: null });
    } else {
      const outcome = haveCrashed && attempt > lastError ? 'crashed' : 'interrupted';
      attempts.push({ attempt, startedAt: null, endedAt: null, outcome, error: null, stack: null });
    }
  }
  return attempts;
}

function failedAttempt({ attempt, claimedAt, failedAt, error }: JobSnapshot['errors'][number]): Attempt {
  const [first = '', ...rest] = error.split('\n');
  return {
    attempt,
    startedAt: claimedAt.getTime(),
    endedAt: failedAt.getTime(),
    outcome: 'failed',
    error: first,
    stack: rest.length > 0 ? rest.join('\n') : null,
  };
}
