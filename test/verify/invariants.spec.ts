import { describe, expect, test } from '@jest/globals';
import { INVARIANTS } from '@tablequeue/verify/internal';

import { MadeUpEvidence, run } from './made-up-evidence.js';

const made = () => new MadeUpEvidence();

/** The names of what is broken. */
function broken({ whole }: MadeUpEvidence): string[] {
  return INVARIANTS.filter((invariant) => invariant.check(whole).length > 0).map(({ name }) => name);
}

function inTransaction(
  token: string,
  act: { from?: number; committingAt?: number; committedAt?: number; rolledBackAt?: number },
) {
  const evidence = made().enqueue(token, { way: 'transaction', transaction: 'producer-1!1' });
  evidence.transactions.set('producer-1!1', act);
  return evidence;
}

const lost = (attempt: number, process = 'worker-1') => ({ attempt, process, at: 5_000, how: 'lost' }) as const;
const succeeded = (attempt: number, process: string) => ({ attempt, process, at: 5_000, how: 'succeeded' }) as const;
const ENDED = { state: 'succeeded', attempt: 1, failures: 0, finishedAt: 0 } as const;
/** All day, for everybody. */
const STORM = { from: 0, to: Infinity };

test('nothing is broken where jobs were stored, and have ended, once', () => {
  const evidence = made().enqueue('a').job('a').enqueue('b').job('b');
  expect(broken(evidence)).toEqual([]);
});

test.each<[what: string, name: string, evidence: MadeUpEvidence]>([
  ['a stored job is gone', 'no-job-lost', made().enqueue('a')],
  ['a job does not end', 'no-job-lost', made().job('a', { final: undefined, live: { state: 'ready', attempt: 1 } })],
  ['a job of no transaction exists', 'no-rolled-back-job', inTransaction('a', {}).job('a')],
  ['a job is live and has ended', 'one-final-state', made().job('a', { live: { state: 'running', attempt: 1 } })],
  ['an enqueue stores two jobs', 'stored-once', made().enqueue('a').job('a').again('b', 'a')],
  ['an enqueue returns another id', 'stored-once', made().enqueue('a', { id: 'b' }).job('a')],
  ['a job that was kept out is there', 'stored-once', made().enqueue('a', { id: 'b', created: false }).job('a')],
  ['a job ends twice', 'fenced', made().job('a', { settled: [succeeded(1, 'worker-1'), succeeded(1, 'worker-2')] })],
  ['a job succeeds without its effect', 'effects-once', made().job('a', { kind: 'effect' })],
  ['a job is claimed early', 'not-before-due', made().job('a', { final: { ...ENDED, runAt: 9, claimedAt: 5 } })],
  ['an enqueue is late', 'enqueues-in-time', made().enqueue('a', { to: 6_000 }).job('a')],
  ['an enqueue fails', 'enqueues-in-time', made().enqueue('a', { id: undefined, error: 'Error: no' })],
])('%s: %s', (_what, name, evidence) => {
  expect(broken(evidence)).toContain(name);
});

test('a job runs before its transaction is committed', () => {
  const evidence = inTransaction('a', { committingAt: 50, committedAt: 60 }).job('a', { calls: [run(20, 30)] });
  evidence.orders.add('a');
  expect(broken(evidence)).toEqual(['none-before-commit']);
});

test('a worker that has lost its job is believed', () => {
  const calls = [run(0, 5_000, { returned: true }), run(2_000, 3_000, { attempt: 2, process: 'worker-2' })];
  const settled = [succeeded(1, 'worker-1'), lost(2, 'worker-2')];
  const evidence = made()
    .job('a', { calls, settled })
    .fault({ target: ['worker-1'], to: 1_500 });
  expect(broken(evidence)).toContain('fenced');
});

test('a job that runs again is explained by a fault of its worker only, and not for ever', () => {
  const calls = [run(10_000, undefined), run(12_000, 12_010, { attempt: 2, process: 'worker-2' })];
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
])('%s counts runs whose outcome was accepted through all faults (%s)', (name, kind, count) => {
  const evidence = made().fault(STORM);
  for (let index = 0; index < count; index++) {
    evidence.job(String(index), { kind, key: kind === 'unique' ? 'key' : undefined, calls: [run(index, 100)] });
  }
  expect(broken(evidence)).toEqual([name]);
});

test('a run that others may have taken over counts for no limit once a fault has struck', () => {
  const evidence = made().fault({ from: 5, to: 10 });
  const calls = [run(0, 500), run(50, 60, { attempt: 2, process: 'worker-2' })];
  const settled = [lost(1), succeeded(2, 'worker-2')];
  evidence.job('a', { kind: 'ordered-producer-1', calls, settled });
  evidence.job('b', { kind: 'ordered-producer-1', calls: [run(20, 40, { process: 'worker-3' })] });
  expect(broken(evidence)).toEqual([]);
});

test('jobs of a queue in order begin out of it', () => {
  const kind = 'ordered-producer-1';
  const evidence = made()
    .enqueue('a', { kind, place: 1 })
    .enqueue('b', { kind, place: 2, from: 2, to: 3 })
    .job('a', { kind, calls: [run(20, 30)] })
    .job('b', { kind, calls: [run(5, 10)] });
  expect(broken(evidence)).toEqual(['in-order']);
  expect(broken(evidence.fault(STORM))).toEqual(['in-order']);
  expect(broken(evidence.fault({ ...STORM, allows: ['order'] }))).toEqual([]);
});

test('a transaction that fails is explained by a fault while it was open, not by a later one', () => {
  const failed = () => inTransaction('a', { from: 5_000, committingAt: 10_000, rolledBackAt: 10_001 });
  expect(broken(failed())).toEqual(['enqueues-in-time']);
  expect(broken(failed().fault({ from: 50_000, to: 51_000 }))).toEqual(['enqueues-in-time']);
  expect(broken(failed().fault({ from: 2_000, to: 2_900 }))).toEqual(['enqueues-in-time']);
  expect(broken(failed().fault({ from: 5_500, to: 5_501 }))).toEqual([]);
});

describe('of a group', () => {
  const final = { attempt: 1, failures: 0, runAt: 0, claimedAt: 0, finishedAt: 0 };
  const cancelled = { calls: [], final: { ...final, state: 'cancelled', attempt: 0 } } as const;
  const failed = { kind: 'doomed', final: { ...final, state: 'failed', failures: 3 } } as const;
  const at = (from: number) => ({ calls: [run(from, from + 10)] });
  const finished = (finishedAt: number, runAt = 0) =>
    ({ final: { ...final, state: 'succeeded', finishedAt, runAt } }) as const;
  /** `a` and `b`, and what waits for them: each runs behind them, but for what is said. */
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
    ['all have succeeded', group(at(0), at(50), { failed: cancelled })],
    [
      'one has failed, and is told of before the other ends',
      group({ ...at(0), ...failed }, at(80), { succeeded: cancelled, failed: at(20) }),
    ],
    ['one was cancelled', group(cancelled, at(50), { succeeded: cancelled, failed: at(20) })],
    ['nothing is there', made().group('a', 'b')],
    ['a member is not at its end yet', group({ final: undefined, live: { state: 'ready', attempt: 1 } }, at(0), {})],
    [
      'a job lives on, and its group with it',
      unfinished().job('c', { final: undefined, live: { state: 'ready', attempt: 1 } }),
    ],
  ])('nothing is broken where %s', (_what, evidence) => {
    expect(broken(evidence)).not.toContain('groups-released');
  });

  test.each<[what: string, evidence: MadeUpEvidence]>([
    ['both callbacks run', group(at(0), at(50), {})],
    ['none of both runs', group(at(0), at(50), { succeeded: cancelled, failed: cancelled })],
    ['the one for failures runs though none has failed', group(at(0), at(50), { succeeded: cancelled })],
    ['the one for success runs though one was cancelled', group(cancelled, at(50), { failed: cancelled })],
    ['the last is cancelled', group(at(0), at(50), { failed: cancelled, done: cancelled })],
    ['the last runs before the last end', group(at(0), at(200), { failed: cancelled, done: at(100) })],
    ['the one for success runs before the last end', group(at(0), at(200), { failed: cancelled, succeeded: at(100) })],
    [
      'the one for failures runs before the first of them',
      group({ ...at(200), ...failed }, at(0), { succeeded: cancelled, failed: at(100) }),
    ],
    [
      'the last is released before the last end, by the clock of the database',
      group(finished(50), finished(80), { failed: cancelled, succeeded: finished(90, 80), done: finished(90, 79) }),
    ],
    [
      'the one for failures is released before the cancellation',
      group({ ...cancelled, final: { ...cancelled.final, finishedAt: 50 } }, at(0), {
        succeeded: cancelled,
        failed: finished(90, 49),
      }),
    ],
    ['a part of it is there', made().group('a', 'b').job('a')],
    ['nobody knows that it has finished', unfinished()],
  ])('it is noticed that %s', (_what, evidence) => {
    expect(broken(evidence)).toContain('groups-released');
  });
});
