import { expect, test } from '@jest/globals';

import { MadeUpEvidence, broken, handlerCall } from './made-up-evidence.js';

const kind = 'expiring';
const LOSS = { fault: 'lose-commits', allows: ['loss', 'rerun'], from: 5, to: 10 } as const;
const CLOCK = { fault: 'clock-ahead', allows: ['clock'], from: 5, to: 10 } as const;

/** A job that was enqueued at 1000 by the clock of the database, with an expiry time 50 ms later. */
const enqueued = () => new MadeUpEvidence().enqueue('a', { kind, limit: 50 });

function claimed(claimedAt: number, attempt = 1) {
  const calls = Array.from({ length: attempt }, (_each, index) => {
    return handlerCall(index, index + 1, { attempt: index + 1, returned: index + 1 === attempt });
  });
  const final = {
    state: 'succeeded',
    attempt,
    failures: attempt - 1,
    createdAt: 1_000,
    runAt: 1_000,
    claimedAt,
  } as const;
  return enqueued().job('a', { kind, calls, final: { ...final, finishedAt: claimedAt } });
}

function expired(finishedAt: number, calls = [] as ReturnType<typeof handlerCall>[]) {
  const final = { state: 'expired', attempt: calls.length, failures: 0, createdAt: 1_000, runAt: 1_000 } as const;
  return enqueued().job('a', { kind, calls, outcomes: [], final: { ...final, claimedAt: null, finishedAt } });
}

function expiredWithoutTime() {
  const evidence = expired(1_050);
  return evidence.enqueue('a', { kind });
}

function endedTwice() {
  const evidence = claimed(1_049);
  const outcome = (name: 'expired' | 'succeeded', attempt: number) => ({
    attempt,
    outcome: name,
    process: 'worker-1',
    at: 10,
  });
  const final = {
    state: 'expired',
    attempt: 1,
    failures: 0,
    createdAt: 1_000,
    runAt: 1_000,
    finishedAt: 1_050,
  } as const;
  const outcomes = [outcome('succeeded', 1), outcome('expired', 0)];
  return evidence.job('a', { kind, outcomes, final: { ...final, claimedAt: 1_049 } });
}

test.each<[what: string, evidence: MadeUpEvidence]>([
  ['it was claimed before its expiry time', claimed(1_049)],
  ['its second attempt was claimed after it', claimed(1_200, 2)],
  ['it has expired at its limit', expired(1_050)],
  ['the server has lost its claim, and it has expired', expired(1_050, [handlerCall(6, 7)]).fault(LOSS)],
  ['the clock was set back while it expired', expired(1_020).fault(CLOCK)],
])('no guarantee is broken by a job with an expiry time if %s', (_what, evidence) => {
  expect(broken(evidence)).toEqual([]);
});

test.each<[what: string, evidence: MadeUpEvidence, names: readonly string[]]>([
  ['is claimed at its limit', claimed(1_050), ['starts-or-expires']],
  ['is claimed at its limit, by a wrong clock', claimed(1_050).fault(CLOCK), ['starts-or-expires']],
  ['expires before its expiry time', expired(1_049), ['starts-or-expires']],
  ['expires without an expiry time', expiredWithoutTime(), ['starts-or-expires']],
  ['runs and expires', expired(1_050, [handlerCall(6, 7)]), ['starts-or-expires']],
  ['succeeds and expires', endedTwice(), ['fenced', 'starts-or-expires']],
  ['is stored and has no outcome', enqueued(), ['no-job-lost']],
])('it is detected that a job with an expiry time %s', (_what, evidence, names) => {
  expect(broken(evidence)).toEqual(names);
});
