import { expect, test } from '@jest/globals';

import type { Finding } from '../../doctor/finding.js';
import type { RegisteredWorker } from '../../store/workers/find-workers.js';
import type { HealthLimits, HealthReadings, WorkerHealth } from './facts.js';
import { PROBLEM_KINDS } from './problem.js';
import { verdict } from './verdict.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const ALIVE = {
  host: 'a',
  pid: 1,
  queues: ['mail'],
  leaseLeft: 20_000,
  state: 'working',
  blockedAgo: null,
} as unknown as RegisteredWorker;
const STALE = { abandonedLanes: 0, abandonedQueues: [], abandonedFor: undefined, tasks: [], schedulesAhead: 0 };
const NOTHING: HealthReadings = {
  backlog: [],
  oldestTransaction: 0,
  failed: [],
  blocked: undefined,
  unhandled: undefined,
  stale: STALE,
  incomplete: [],
  workers: [ALIVE],
  rates: [],
  longRuns: [],
  missed: undefined,
  findings: [],
};
/** What no problem depends on. */
const UNUSED = { latencySum: 0, finishedLately: 0 };
const NO_LIMITS: HealthLimits = { backlogAge: () => undefined, transactionAge: undefined };
const AT_WORK: WorkerHealth = {
  holdsLease: true,
  orphanedJobs: { count: 0, since: undefined },
  maintenance: undefined,
  startedAt: 0,
};

const of = (
  readings: Partial<HealthReadings> | Error,
  { started = [], limits = NO_LIMITS }: { started?: readonly WorkerHealth[]; limits?: HealthLimits } = {},
) => verdict({ readings: readings instanceof Error ? readings : { ...NOTHING, ...readings }, started, limits });

const due = (queue: string, age: number, pausedFor?: number) => {
  return { queue, age, isPaused: pausedFor !== undefined, pausedFor };
};
const finding = (check: string, status: Finding['status']): Finding => {
  return { check, status, found: 'found', why: 'It matters.', change: ['SET it;'] };
};
const agoOf = (since: Date | undefined) => Math.round((Date.now() - (since?.getTime() ?? Number.NaN)) / 1000) * 1000;

test('a quiet worker claims alerts, and no other jobs', () => {
  const workers = [{ ...ALIVE, state: 'quiet' as const, queues: ['mail', 'tablequeue.alerts'] }];
  const { problems } = of({ workers, backlog: [due('mail', MINUTE), due('tablequeue.alerts', MINUTE)] });
  expect(problems).toMatchObject([{ kind: 'no-worker', examples: ['mail'] }]);
});

test('without problems all is well', () => {
  const healthy: Partial<HealthReadings> = {
    backlog: [due('mail', 5 * MINUTE), due('other', 29_999)],
    rates: [{ queue: 'mail', attempts: 9, failures: 9, failingFor: 1, ...UNUSED }],
    workers: [ALIVE, { ...ALIVE, leaseLeft: 1 - MINUTE }],
    oldestTransaction: 15 * MINUTE,
    findings: [finding('durability', 'warning'), finding('open-transactions', 'unknown')],
  };
  expect(of(healthy, { started: [AT_WORK] })).toEqual({ status: 'ok', problems: [] });
});

test('a database that is down, and a lost lease, fail the check', () => {
  const lost = { ...AT_WORK, holdsLease: false };
  expect(of(new Error('gone'), { started: [lost] })).toMatchObject({
    status: 'critical',
    problems: [
      { kind: 'database-down', message: 'gone', failsCheck: true },
      { kind: 'lease-lost', count: 1, failsCheck: true },
    ],
  });
});

test('198 queues without a worker are one problem', () => {
  const backlog = Array.from({ length: 198 }, (_, index) => due(`q${index}`, 30_000 + index));
  const { status, problems } = of({ backlog: [...backlog, due('young', 29_999), due('paused', HOUR, 1)] });
  expect(status).toBe('critical');
  expect(problems[0]).toMatchObject({
    kind: 'no-worker',
    count: 198,
    message: 'No worker works on 198 queues with due jobs: q197, q196, q195, …',
    examples: ['q197', 'q196', 'q195'],
    failsCheck: false,
  });
  expect(problems[0]?.queues).toHaveLength(198);
  expect(agoOf(problems[0]?.since)).toBe(30_000);
  expect(of({ backlog, workers: undefined }).problems).toEqual([]);
  const dead = [{ ...ALIVE, queues: ['q0'], leaseLeft: 0 }];
  expect(of({ backlog: backlog.slice(0, 1), workers: dead }).problems).toMatchObject([{ kind: 'no-worker' }]);
});

test('late jobs are a warning, and fail the check beyond a limit that is set', () => {
  const backlog = [due('mail', 5 * MINUTE + 1), due('elsewhere', HOUR)];
  expect(of({ backlog }).problems).toMatchObject([
    { kind: 'no-worker', examples: ['elsewhere'] },
    { kind: 'late-backlog', severity: 'warning', count: 1, examples: ['mail'], failsCheck: false },
  ]);
  const limits = { ...NO_LIMITS, backlogAge: () => MINUTE };
  const [, late] = of({ backlog }, { limits }).problems;
  expect(late).toMatchObject({ severity: 'critical', count: 2, examples: ['elsewhere', 'mail'], failsCheck: true });
  expect(late?.message).toBe(
    'Jobs are late in 2 queues: the oldest of "elsewhere" has been due for 1 hour, more than 1 minute.',
  );
});

test('failing attempts: a tenth of at least ten, the worst queue first', () => {
  const rate = (queue: string, attempts: number, failures: number) => {
    return { queue, attempts, failures, failingFor: HOUR, ...UNUSED };
  };
  expect(of({ rates: [rate('mail', 10, 1)] }).problems).toMatchObject([
    {
      kind: 'failing-attempts',
      severity: 'warning',
      message: '10% of the attempts of "mail" have failed within the hour.',
    },
  ]);
  expect(of({ rates: [rate('mail', 1000, 99), rate('few', 9, 9)] }).problems).toEqual([]);
  const [both] = of({ rates: [rate('mail', 100, 20), rate('bad', 50, 50)] }).problems;
  expect(both).toMatchObject({ count: 2, queues: ['bad', 'mail'] });
  expect(both?.message).toBe('Attempts fail in 2 queues: 100% of the attempts of "bad" within the hour.');
});

test('jobs that run too long are counted over workers and queues', () => {
  const run = (queue: string, count: number, age: number) => ({ queue, count, age, id: `id of ${queue}` });
  const [one] = of({ longRuns: [run('mail', 40, 15 * MINUTE)] }).problems;
  expect(one).toMatchObject({ kind: 'stuck-jobs', severity: 'warning', count: 40, examples: ['id of mail'] });
  expect(one?.message).toBe('40 jobs running too long in queue "mail": the oldest for 15 minutes.');
  expect(agoOf(one?.since)).toBe(15 * MINUTE);
  const [several] = of({ longRuns: [run('mail', 1, HOUR), run('other', 2, 2 * HOUR)] }).problems;
  expect(several?.message).toBe('3 jobs running too long in 2 queues: the oldest for 2 hours.');
});

test('failed jobs are a notice, and a warning for an hour', () => {
  const failed = { queue: 'mail', count: 3, isCapped: false, oldestAge: 9 * HOUR, newestAge: HOUR };
  const [old] = of({ failed: [failed] }).problems;
  expect(old).toMatchObject({ kind: 'failed-jobs', severity: 'notice', count: 3, queues: ['mail'] });
  expect(old?.message).toBe('3 failed jobs of queue "mail" await a decision.');
  expect(agoOf(old?.since)).toBe(9 * HOUR);
  const many = { queue: 'bulk', count: 1_000, isCapped: true, oldestAge: HOUR, newestAge: HOUR - 1 };
  const { status, problems } = of({ failed: [failed, many] });
  expect(status).toBe('warning');
  expect(problems[0]?.message).toBe(
    'At least 1003 failed jobs of 2 queues await a decision, the last within the hour.',
  );
});

test('dead workers are reported once: by their jobs, if they have left some', () => {
  const dead = { ...ALIVE, host: 'b', pid: 7, leaseLeft: -MINUTE };
  const [found] = of({ workers: [dead] }).problems;
  expect(found).toMatchObject({ kind: 'dead-workers', count: 1, examples: ['7 on b'] });
  expect(agoOf(found?.since)).toBe(MINUTE);
  const stale = { ...STALE, abandonedLanes: 2, abandonedQueues: ['mail'], abandonedFor: MINUTE };
  expect(of({ workers: [dead], stale }).problems).toMatchObject([
    { kind: 'abandoned-jobs', count: 2, examples: ['mail'] },
  ]);
});

test('quiet workers do not work on their queues', () => {
  const backlog = [due('mail', HOUR)];
  const quiet: RegisteredWorker = { ...ALIVE, state: 'quiet' };
  expect(of({ backlog, workers: [quiet] }).problems).toMatchObject([{ kind: 'no-worker' }]);
  expect(of({ backlog, workers: [quiet, ALIVE] }).problems).toMatchObject([{ kind: 'late-backlog' }]);
});

test('workers that have blocked their event loop are named for ten minutes, the worst first', () => {
  const blocked = (pid: number, blockedFor: number, blockedAgo: number) => ({ ...ALIVE, pid, blockedFor, blockedAgo });
  const workers = [blocked(1, 1_200, 9 * MINUTE), blocked(2, 4_000, 1_000), blocked(3, 9_000, 10 * MINUTE), ALIVE];
  const [found] = of({ workers: [...workers, { ...blocked(4, 9_000, 1), leaseLeft: 0 }] }).problems;
  expect(found).toMatchObject({ kind: 'blocked-workers', severity: 'warning', count: 2, failsCheck: false });
  expect(found?.message).toBe('The event loop of 2 workers was blocked for up to 4 seconds: 2 on a, 1 on a.');
  expect(agoOf(found?.since)).toBe(9 * MINUTE);
});

test('findings of the doctor: problems, and a purge that is behind', () => {
  const findings = [finding('history-length', 'warning'), finding('packet-size', 'problem'), finding('x', 'problem')];
  expect(of({ findings }).problems).toMatchObject([
    { kind: 'held-purge', action: 'SET it;', harm: 'It matters.' },
    { kind: 'database-findings', count: 2, examples: ['packet-size', 'x'] },
  ]);
  expect(of({ findings: undefined }).problems).toEqual([]);
});

test('maintenance, ticks, groups, keys, subscriptions, pauses and transactions; worst first', () => {
  const maintenance = { reaper: 5_000, retrier: 30_000, pruner: 600_000, scheduler: 30_000 };
  const started = [
    { ...AT_WORK, maintenance, startedAt: performance.now(), orphanedJobs: { count: 2, since: undefined } },
  ];
  const key = { name: 'change', key: 'account 1', jobId: Buffer.alloc(16), blockedAt: 1, behind: 3 };
  const { problems } = of(
    {
      stale: { ...STALE, schedulesAhead: 2, tasks: [{ task: 'reaper', dueIn: -70_001 }] },
      missed: { count: 4, first: [{ name: 'nightly', queue: 'mail', lateBy: HOUR }] },
      incomplete: ['g1', 'g2', 'g3', 'g4'],
      blocked: { count: 7, first: [key] },
      unhandled: { count: 4, first: [{ event: 'order.paid', name: 'mailing', since: 1 }] },
      backlog: [due('mail', HOUR, MINUTE)],
      oldestTransaction: 16 * MINUTE,
    },
    { started },
  );
  expect(problems.map(({ kind, severity, count }) => `${severity} ${kind} ${count}`)).toEqual([
    'critical missed-ticks 4',
    'warning maintenance-overdue 1',
    'warning blocked-keys 7',
    'warning incomplete-groups 4',
    'warning orphaned-jobs 2',
    'warning unhandled-subscriptions 4',
    'warning clock-went-back 2',
    'warning long-transaction 1',
    'notice paused-queues 1',
  ]);
  for (const { message, harm, action, examples } of problems) {
    expect(message).toMatch(/^[A-Z\d].*(\.|, …)$/);
    expect(harm).toMatch(/\.$/);
    expect(action).toMatch(/\.$/);
    expect(examples.length).toBeLessThanOrEqual(3);
  }
  const limits = { ...NO_LIMITS, transactionAge: 1_000 };
  expect(of({ oldestTransaction: 1_001 }, { limits }).problems).toMatchObject([{ failsCheck: true }]);
  expect(new Set(PROBLEM_KINDS).size).toBe(PROBLEM_KINDS.length);
});
