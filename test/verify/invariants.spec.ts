import { describe, expect, test } from '@jest/globals';
import type { HandlerCall, StepRecord } from '@tablequeue/verify/internal';

import { MadeUpEvidence, broken, handlerCall } from './made-up-evidence.js';

const made = () => new MadeUpEvidence();

function inTransaction(
  token: string,
  times: { from?: number; committingAt?: number; committedAt?: number; rolledBackAt?: number },
) {
  const evidence = made().enqueue(token, { method: 'transaction', transaction: 'producer-1!1' });
  evidence.transactions.set('producer-1!1', times);
  return evidence;
}

const lost = (attempt: number, process = 'worker-1') => ({ attempt, process, at: 5_000, outcome: 'lost' }) as const;
const succeeded = (attempt: number, process: string) =>
  ({ attempt, process, at: 5_000, outcome: 'succeeded' }) as const;
const ENDED = { state: 'succeeded', attempt: 1, failures: 0, createdAt: 0, finishedAt: 0 } as const;
/** A durable job whose effects exist once, except for the given ones. */
function durable({ effect = [1], steps = [] }: { readonly effect?: number[]; readonly steps?: StepRecord[] }) {
  const evidence = made().job('a', { kind: 'durable', steps });
  evidence.effects.set('a/effect', effect);
  [1, 2, 3].forEach((chunk) => evidence.effects.set(`a/chunk ${chunk}`, [1]));
  return evidence;
}

/** A call of a step, or its result. */
const stepAt = (at: number, value?: string): StepRecord => ({ step: 'plain', value, process: 'worker-1', at });
/** A fault that hits everyone during the whole run. */
const LASTING = { from: 0, to: Infinity };

test('all guarantees hold if jobs were stored once and ended once', () => {
  const evidence = made().enqueue('a').job('a').enqueue('b').job('b');
  expect(broken(evidence)).toEqual([]);
});

test('all guarantees hold of a durable job whose steps ran once, and again on a stopped worker', () => {
  const steps = [stepAt(1), stepAt(2, '1'), stepAt(3, '1'), { ...stepAt(9), process: 'worker-2' }];
  const evidence = () => durable({ steps }).enqueue('a', { kind: 'durable' });
  expect(broken(evidence())).toEqual(['steps-once']);
  expect(broken(evidence().fault({ ...LASTING, fault: 'stop-worker', target: ['worker-2'] }))).toEqual([]);
});

test.each<[what: string, name: string, evidence: MadeUpEvidence]>([
  ['a stored job is missing', 'no-job-lost', made().enqueue('a')],
  ['a job does not end', 'no-job-lost', made().job('a', { final: undefined, live: { state: 'ready', attempt: 1 } })],
  ['a job exists whose transaction was not committed', 'no-rolled-back-job', inTransaction('a', {}).job('a')],
  ['an enqueue stores two jobs', 'stored-once', made().enqueue('a').job('a').duplicate('b', 'a')],
  ['an enqueue returns another id', 'stored-once', made().enqueue('a', { id: 'b' }).job('a')],
  [
    'a job exists that a unique key should have prevented',
    'stored-once',
    made().enqueue('a', { id: 'b', created: false }).job('a'),
  ],
  ['a job ends twice', 'fenced', made().job('a', { outcomes: [succeeded(1, 'worker-1'), succeeded(1, 'worker-2')] })],
  ['a job succeeds without its effect', 'effects-once', made().job('a', { kind: 'effect' })],
  ['a transactional step has no effect', 'steps-once', made().job('a', { kind: 'durable' })],
  ['a transactional step has two effects', 'steps-once', durable({ effect: [1, 2] })],
  ['a step has two results', 'steps-once', durable({ steps: [stepAt(1, '1'), stepAt(2, '2')] })],
  ['a stored step runs again', 'steps-once', durable({ steps: [stepAt(1, '1'), stepAt(9)] })],
  [
    'a signal is lost',
    'steps-once',
    durable({ steps: [{ ...stepAt(1, 'null'), step: 'go' }] }).enqueue('a', { signal: 'yes' }),
  ],
  ['a job is claimed early', 'not-before-due', made().job('a', { final: { ...ENDED, runAt: 9, claimedAt: 5 } })],
  ['an enqueue is late', 'enqueues-in-time', made().enqueue('a', { to: 6_000 }).job('a')],
  ['an enqueue fails', 'enqueues-in-time', made().enqueue('a', { id: undefined, error: 'Error: no' })],
])('%s: %s', (_what, name, evidence) => {
  expect(broken(evidence)).toContain(name);
});

test('a job may be claimed early if it became ready while the clock was ahead', () => {
  const claimed = (from: number) =>
    made()
      .fault({ fault: 'clock-ahead', allows: ['clock'], from: 5, to: 10 })
      .job('a', { final: { ...ENDED, runAt: 9, claimedAt: 5 }, calls: [handlerCall(from, from + 1)] });
  expect(broken(claimed(11))).not.toContain('not-before-due');
  expect(broken(claimed(1_000_000))).toContain('not-before-due');
});

test('a job that is running, but that no handler runs, is detected', () => {
  const live = { state: 'running', attempt: 1 } as const;
  const running = (to: number | undefined) => made().job('a', { final: undefined, live, calls: [handlerCall(0, to)] });
  expect(broken(running(10))).toContain('running-is-run');
  expect(broken(running(undefined))).not.toContain('running-is-run');
});

test.each(['nothing-without-job', 'maintenance-goes-on'] as const)(
  '%s is broken by state that is not healed',
  (name) => {
    const evidence = made();
    evidence.unsettled.push({ invariant: name, text: 'It is still there.' });
    expect(broken(evidence)).toEqual([name]);
  },
);

describe('after the server has lost its last commits', () => {
  const LOSS = { fault: 'lose-commits', allows: ['loss', 'rerun'], from: 5, to: 10 } as const;
  const cases: [what: string, name: string, evidence: () => MadeUpEvidence][] = [
    ['an enqueue is gone', 'no-job-lost', () => made().enqueue('a', { from: 6, to: 7 })],
    ['the commit of a transaction is gone', 'no-job-lost', () => inTransaction('a', { from: 6, committedAt: 7 })],
    [
      'a claim is gone, so two attempts have the same number',
      'attempts-increase',
      () => made().job('a', { calls: [handlerCall(6, 7), handlerCall(20, 30)] }),
    ],
    [
      'an outcome is gone, and the job ends again',
      'fenced',
      () => {
        const calls = [handlerCall(6, 7), handlerCall(8_000, 8_010, { attempt: 2, process: 'worker-2' })];
        const outcomes = [
          { ...succeeded(1, 'worker-1'), at: 8 },
          { ...succeeded(2, 'worker-2'), at: 8_011 },
        ];
        return made().job('a', { calls, outcomes });
      },
    ],
    [
      'a claim is gone, and its worker returns the job',
      'fenced',
      () => {
        const calls = [handlerCall(6, 4_000, { returned: false }), handlerCall(8_000, 8_010)];
        const returned = { attempt: 1, process: 'worker-1', at: 5_000, outcome: 'returned' } as const;
        return made().job('a', { calls, outcomes: [returned, { ...succeeded(1, 'worker-1'), at: 8_011 }] });
      },
    ],
  ];
  test.each(cases)('%s: that does not break %s, but would without the loss', (_what, name, evidence) => {
    expect(broken(evidence())).toContain(name);
    expect(broken(evidence().fault(LOSS))).not.toContain(name);
  });

  test('what was confirmed before must still exist', () => {
    const evidence = made().enqueue('a', { from: 0, to: 1 }).fault(LOSS);
    expect(broken(evidence)).toContain('no-job-lost');
  });
});

test('a job that runs before its transaction commits is detected', () => {
  const evidence = inTransaction('a', { committingAt: 50, committedAt: 60 }).job('a', { calls: [handlerCall(20, 30)] });
  evidence.orders.add('a');
  expect(broken(evidence)).toEqual(['none-before-commit']);
});

test('an outcome that is accepted from a worker without the job is detected', () => {
  const calls = [
    handlerCall(0, 5_000, { returned: true }),
    handlerCall(2_000, 3_000, { attempt: 2, process: 'worker-2' }),
  ];
  const outcomes = [succeeded(1, 'worker-1'), lost(2, 'worker-2')];
  const evidence = made()
    .job('a', { calls, outcomes })
    .fault({ target: ['worker-1'], to: 1_500 });
  expect(broken(evidence)).toContain('fenced');
});

test('only a fault of the same worker, at about the same time, explains that a job runs again', () => {
  const calls = [handlerCall(10_000, undefined), handlerCall(12_000, 12_010, { attempt: 2, process: 'worker-2' })];
  const ran = () => made().job('a', { calls });
  expect(broken(ran())).toEqual(['reruns-explained']);
  expect(broken(ran().fault({ target: ['worker-2'], from: 10_500, to: 11_000 }))).toEqual(['reruns-explained']);
  expect(broken(ran().fault({ target: ['worker-1'], from: 5_000, to: 7_900 }))).toEqual(['reruns-explained']);
  expect(broken(ran().fault({ target: ['worker-1'], from: 10_500, to: 11_000 }))).toEqual([]);
  expect(broken(ran().fault({ allows: ['delay'], from: 10_500, to: 11_000 }))).toEqual(['reruns-explained']);
});

test.each([
  ['limits-kept', 'limited', 4],
  ['limits-kept', 'ordered-producer-1', 2],
  ['unique-alone', 'unique', 2],
])('%s counts calls with an accepted outcome in spite of faults (%s)', (name, kind, count) => {
  const evidence = made().fault(LASTING);
  for (let index = 0; index < count; index++) {
    evidence.job(String(index), { kind, key: kind === 'unique' ? 'key' : undefined, calls: [handlerCall(index, 100)] });
  }
  expect(broken(evidence)).toEqual([name]);
});

test('a call is not counted towards a limit after a fault that may have let other workers claim its job', () => {
  const evidence = made().fault({ from: 5, to: 10 });
  const calls = [handlerCall(0, 500), handlerCall(50, 60, { attempt: 2, process: 'worker-2' })];
  const outcomes = [lost(1), succeeded(2, 'worker-2')];
  evidence.job('a', { kind: 'ordered-producer-1', calls, outcomes });
  evidence.job('b', { kind: 'ordered-producer-1', calls: [handlerCall(20, 40, { process: 'worker-3' })] });
  expect(broken(evidence)).toEqual([]);
});

test('a call is not counted after a later attempt whose claim the server has lost', () => {
  const evidence = made().fault({ fault: 'lose-commits', allows: ['loss', 'rerun'], from: 40, to: 400 });
  const calls = [handlerCall(0, 500), handlerCall(50, 60, { attempt: 2 })];
  const final = { ...ENDED, runAt: 0, claimedAt: 0 };
  evidence.job('a', { kind: 'ordered-producer-1', calls, outcomes: [succeeded(1, 'worker-1'), lost(2)], final });
  evidence.job('b', { kind: 'ordered-producer-1', calls: [handlerCall(100, 120, { process: 'worker-3' })] });
  expect(broken(evidence)).not.toContain('limits-kept');
});

test('a call is not counted with the outcome of a later call of the same attempt in the same worker', () => {
  const evidence = made().fault({ fault: 'lose-commits', allows: ['loss', 'rerun'], from: 40, to: 60 });
  const calls = [handlerCall(0, 500), handlerCall(300, 320)];
  const outcomes = [{ ...succeeded(1, 'worker-1'), at: 321 }];
  evidence.job('a', { kind: 'ordered-producer-1', calls, outcomes });
  evidence.job('b', { kind: 'ordered-producer-1', calls: [handlerCall(100, 120, { process: 'worker-3' })] });
  expect(broken(evidence)).toEqual([]);
});

test('jobs of an ordered queue that start out of order are detected', () => {
  const kind = 'ordered-producer-1';
  const evidence = made()
    .enqueue('a', { kind, sequence: 1 })
    .enqueue('b', { kind, sequence: 2, from: 2, to: 3 })
    .job('a', { kind, calls: [handlerCall(20, 30)] })
    .job('b', { kind, calls: [handlerCall(5, 10)] });
  expect(broken(evidence)).toEqual(['in-order']);
  expect(broken(evidence.fault(LASTING))).toEqual(['in-order']);
  expect(broken(evidence.fault({ ...LASTING, allows: ['order'] }))).toEqual([]);
});

describe('jobs of an order key', () => {
  const kind = 'keyed';
  const keyed = (...calls: readonly (readonly [id: string, enqueued: number, calls: HandlerCall[]])[]) => {
    const evidence = made();
    for (const [id, from, ofJob] of calls) {
      const failures = ofJob.filter(({ returned }) => !returned).length;
      const final = { ...ENDED, attempt: ofJob.length, failures, createdAt: 0, runAt: 0, claimedAt: 0 };
      evidence.enqueue(id, { kind, order: 'key', from, to: from + 1 }).job(id, { kind, calls: ofJob, final });
    }
    return evidence;
  };
  const retried = [handlerCall(10, 20, { returned: false }), handlerCall(80, 90, { attempt: 2 })];

  test('may run one after another, each with all its attempts', () => {
    expect(broken(keyed(['a', 0, retried], ['b', 5, [handlerCall(100, 110)]]))).toEqual([]);
  });

  test('that start before the retry of another one are detected', () => {
    const evidence = keyed(['a', 0, retried], ['b', 5, [handlerCall(30, 40)]]);
    expect(broken(evidence)).toEqual(['keys-in-order']);
    expect(broken(evidence.fault(LASTING))).toEqual(['keys-in-order']);
  });

  test('that start before one with an earlier commit are detected', () => {
    expect(broken(keyed(['a', 0, [handlerCall(50, 60)]], ['b', 5, [handlerCall(10, 20)]]))).toEqual(['keys-in-order']);
    expect(broken(keyed(['a', 0, [handlerCall(50, 60)]], ['b', 0, [handlerCall(10, 20)]]))).toEqual([]);
  });
});

test('only a fault during a transaction explains its failure', () => {
  const failed = () => inTransaction('a', { from: 5_000, committingAt: 10_000, rolledBackAt: 10_001 });
  expect(broken(failed())).toEqual(['enqueues-in-time']);
  expect(broken(failed().fault({ from: 50_000, to: 51_000 }))).toEqual(['enqueues-in-time']);
  expect(broken(failed().fault({ from: 2_000, to: 2_900 }))).toEqual(['enqueues-in-time']);
  expect(broken(failed().fault({ from: 5_500, to: 5_501 }))).toEqual([]);
});

describe('groups', () => {
  const final = { attempt: 1, failures: 0, createdAt: 0, runAt: 0, claimedAt: 0, finishedAt: 0 };
  const cancelled = { calls: [], final: { ...final, state: 'cancelled', attempt: 0 } } as const;
  const failed = { kind: 'doomed', final: { ...final, state: 'failed', failures: 3 } } as const;
  const at = (from: number) => ({ calls: [handlerCall(from, from + 10)] });
  const finished = (finishedAt: number, runAt = 0) =>
    ({ final: { ...final, state: 'succeeded', finishedAt, runAt } }) as const;
  /** The members `a` and `b`, and callbacks that run after them, except for the given parts. */
  const group = (a: object, b: object, waiting: Partial<Record<'succeeded' | 'failed' | 'done', object>>) => {
    const evidence = made().group('a', 'b').job('a', a).job('b', b);
    for (const name of ['succeeded', 'failed', 'done'] as const) {
      evidence.job(name, { ...at(300), ...waiting[name] });
    }
    return evidence;
  };
  const unfinished = () => {
    const evidence = group(at(0), at(50), { failed: cancelled });
    evidence.openGroups.push('group');
    return evidence;
  };

  test.each<[what: string, evidence: MadeUpEvidence]>([
    ['all members succeed', group(at(0), at(50), { failed: cancelled })],
    [
      'one fails, and `onFailure` runs before the other ends',
      group({ ...at(0), ...failed }, at(80), { succeeded: cancelled, failed: at(20) }),
    ],
    ['one is cancelled', group(cancelled, at(50), { succeeded: cancelled, failed: at(20) })],
    [
      'the clock goes back behind the first of two failures, and the callback is tried again at that time',
      group(
        { ...cancelled, final: { ...cancelled.final, finishedAt: 86_400_000 } },
        { ...cancelled, final: { ...cancelled.final, finishedAt: 90 } },
        { succeeded: cancelled, failed: finished(100, 80), done: finished(110, 95) },
      ).fault({ ...LASTING, allows: ['clock'] }),
    ],
    ['no job of it exists', made().group('a', 'b')],
    ['a member has not ended yet', group({ final: undefined, live: { state: 'ready', attempt: 1 } }, at(0), {})],
    [
      'a job is live, so a group is not finished',
      unfinished().job('c', { final: undefined, live: { state: 'ready', attempt: 1 } }),
    ],
  ])('groups-released holds if %s', (_what, evidence) => {
    expect(broken(evidence)).not.toContain('groups-released');
  });

  test.each<[what: string, evidence: MadeUpEvidence]>([
    ['onSuccess and onFailure run', group(at(0), at(50), {})],
    ['neither onSuccess nor onFailure runs', group(at(0), at(50), { succeeded: cancelled, failed: cancelled })],
    ['onFailure runs, but no member failed', group(at(0), at(50), { succeeded: cancelled })],
    ['onSuccess runs, but a member was cancelled', group(cancelled, at(50), { failed: cancelled })],
    ['onComplete is cancelled', group(at(0), at(50), { failed: cancelled, done: cancelled })],
    ['onComplete runs before the last member ends', group(at(0), at(200), { failed: cancelled, done: at(100) })],
    ['onSuccess runs before the last member ends', group(at(0), at(200), { failed: cancelled, succeeded: at(100) })],
    [
      'onFailure runs before the first failure',
      group({ ...at(200), ...failed }, at(0), { succeeded: cancelled, failed: at(100) }),
    ],
    [
      'onComplete is triggered before the last member ends, by the clock of the database',
      group(finished(50), finished(80), { failed: cancelled, succeeded: finished(90, 80), done: finished(90, 79) }),
    ],
    [
      'onFailure is triggered before the cancellation',
      group({ ...cancelled, final: { ...cancelled.final, finishedAt: 50 } }, at(0), {
        succeeded: cancelled,
        failed: finished(90, 49),
      }),
    ],
    ['only one of its jobs exists', made().group('a', 'b').job('a')],
    ['a group is never finished', unfinished()],
  ])('groups-released detects that %s', (_what, evidence) => {
    expect(broken(evidence)).toContain('groups-released');
  });
});
