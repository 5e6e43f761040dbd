import type {
  Attempt,
  AuditEntry,
  BlockedKey,
  JobAction,
  JobDetail,
  JobFilter,
  JobLink,
  JobRow,
  JobState,
  JobStep,
  QueueLimits,
  ScheduleRow,
  SubscriptionRow,
  WorkerRow,
} from '../src/contract.js';
import { actionsOf, identifyError } from '@tablequeue/typeorm/internal';
import {
  ERRORS,
  JOBS,
  STACK,
  payloadOf,
  blockedKeysOf,
  manualOf,
  schedulesOf,
  subscriptionsOf,
} from './sample-data.js';

export const MINUTE = 60_000;
export const uuid = (number: number) => `0193f5a1-7c0${number % 10}-7b31-9d42-${number.toString(16).padStart(12, '0')}`;

type Row = { -readonly [K in keyof JobRow]: JobRow[K] };

/** A made-up shop with enough jobs to show all pages. */
export class Shop {
  readonly rows: Row[] = [];
  readonly paused = new Map<string, number>();
  readonly limits = new Map<string, QueueLimits>();
  /** What is requested of the workers, by id. */
  readonly requests = new Map<string, WorkerRow['request']>();
  readonly schedules: ScheduleRow[];
  readonly subscriptions: readonly SubscriptionRow[];
  readonly blockedKeys: readonly BlockedKey[];
  readonly audit: AuditEntry[] = [];
  private seed = 7;

  constructor(size = 1) {
    this.schedules = size === 0 ? [] : schedulesOf(Date.now());
    this.subscriptions = size === 0 ? [] : subscriptionsOf(Date.now());
    this.blockedKeys = size === 0 ? [] : blockedKeysOf(Date.now());
    const each: Record<JobState, number> = {
      running: 14,
      ready: 64,
      scheduled: 83,
      waiting: 3,
      failed: 137,
      succeeded: 320,
      cancelled: 22,
      expired: 3,
    };
    for (const [state, jobs] of Object.entries(each)) {
      for (let index = 0; index < jobs * size; index += 1) {
        this.rows.push(this.makeJob(state as JobState, index));
      }
    }
    if (size > 0) {
      this.paused.set('reports', Date.now() - 47 * MINUTE);
      this.limits.set('mail', {
        concurrency: 20,
        rate: { jobs: 600, per: MINUTE, burst: null },
        perTenant: 4,
        ratePerTenant: { jobs: 30, per: MINUTE, burst: 10 },
        maxLength: 50_000,
      });
      this.note('retry', '12 jobs of payments', '12 changed');
      this.note('pause', 'reports', 'done');
    }
  }

  private random(): number {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed / 2_147_483_647;
  }

  note(action: string, target: string, outcome: string): void {
    this.audit.unshift({
      id: uuid(this.audit.length + 90_000),
      at: Date.now() - (this.audit.length === 0 ? 40 * MINUTE : 0),
      who: 'mary',
      action,
      target,
      detail: null,
      outcome,
    });
  }

  private makeJob(state: JobState, index: number): Row {
    const now = Date.now();
    const [name, queue] = JOBS[Math.floor(this.random() * JOBS.length)] ?? ['order.confirm', 'mail'];
    const age = (index + 1) * 21_000 * this.random() + index * 9000;
    const isEnded = state === 'failed' || state === 'succeeded' || state === 'cancelled' || state === 'expired';
    const failures = state === 'failed' ? 5 : this.random() < 0.15 ? 1 : 0;
    const took = 80 + this.random() * 2400;
    return {
      id: uuid(this.rows.length + 1),
      queue,
      name,
      state,
      key: this.random() < 0.7 ? `order:${4200 + Math.floor(this.random() * 900)}` : null,
      tenant: this.random() < 0.35 ? (['acme', 'globex', 'initech'][Math.floor(this.random() * 3)] ?? null) : null,
      priority: this.random() < 0.2 ? -10 : 0,
      attempt: state === 'waiting' || state === 'ready' ? failures : failures + (state === 'failed' ? 0 : 1),
      failures,
      createdAt: now - age - took - failures * 130_000 - 4000,
      runAt: state === 'scheduled' ? now + age : now - age - 4000,
      expiresAt: state === 'expired' ? now - age : null,
      startedAt: isEnded || state === 'running' ? now - age - took : null,
      finishedAt: isEnded ? now - age : null,
      error: state === 'failed' || failures > 0 ? (ERRORS[Math.floor(this.random() * ERRORS.length)] ?? null) : null,
      progress: state === 'running' && index % 3 === 0 ? Math.round(this.random() * 90) / 100 : null,
    };
  }

  byId(id: string): Row | undefined {
    return this.rows.find((row) => row.id === id);
  }

  find({ state, queue, name, key, tenant, error, fingerprint, from, to }: JobFilter): Row[] {
    return this.rows.filter(
      (row) =>
        row.state === state &&
        (!queue || row.queue === queue) &&
        (!name || row.name === name) &&
        (!key || row.key === key) &&
        (!tenant || row.tenant === tenant) &&
        (!error || row.error?.includes(error)) &&
        (!fingerprint || identifyError(row.error ?? '').fingerprint === fingerprint) &&
        (!from || (row.finishedAt ?? row.runAt) >= from) &&
        (!to || (row.finishedAt ?? row.runAt) < to),
    );
  }

  act(id: string, action: JobAction | 'signal' | 'retry-from', priority?: number): void {
    const row = this.byId(id);
    if (!row) {
      return;
    }
    this.note(action, id, 'done');
    if (action === 'signal') {
      row.state = 'ready';
      row.runAt = Date.now();
    } else if (action === 'priority') {
      row.priority = priority ?? 0;
    } else {
      row.state = action === 'cancel' ? 'cancelled' : 'ready';
      row.finishedAt = action === 'cancel' ? Date.now() : null;
      row.runAt = Date.now();
    }
  }

  detail(id: string, mayAct: boolean): JobDetail | undefined {
    const row = this.byId(id);
    if (!row) {
      return undefined;
    }
    const isLate = row.startedAt !== null;
    const attempts = Array.from({ length: Math.max(row.attempt, isLate ? 1 : 0) }, (_attempt, index) => {
      const isLast = index === Math.max(row.attempt, 1) - 1;
      const at = (row.startedAt ?? row.createdAt) - (Math.max(row.attempt, 1) - 1 - index) * 130_000;
      const ended = row.state === 'running' ? 'running' : 'succeeded';
      const outcome: Attempt['outcome'] = isLast && row.state !== 'failed' ? ended : 'failed';
      return {
        attempt: index + 1,
        startedAt: at,
        endedAt: outcome === 'running' ? null : at + 640 + index * 120,
        outcome,
        error: outcome === 'failed' ? (row.error ?? ERRORS[0] ?? null) : null,
        stack: outcome === 'failed' ? STACK : null,
      };
    });
    return {
      ...row,
      payload: payloadOf(row.key),
      isRedacted: row.queue === 'payments',
      undecoded: [],
      payloadVersion: 2,
      order: null,
      result: row.state === 'succeeded' ? { messageId: '<4711@shop.example>', accepted: true } : null,
      attempts,
      worker: row.state === 'running' ? { id: String(80_001), host: 'web-1', pid: 2041 } : null,
      leaseEndsAt: row.state === 'running' ? Date.now() + 24_000 : null,
      trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      ...this.groupOf(row),
      parent: null,
      steps: this.stepsOf(row),
      actions: mayAct ? actionsOf(row.state, false) : [],
      manual: mayAct ? manualOf(row.state) : [],
    };
  }

  /** A waiting job and the first running jobs form a group. */
  private groupOf({ state }: Row): Pick<JobDetail, 'waitsFor' | 'followedBy'> {
    const link = ({ id, name, state: now }: Row): JobLink => ({ id, name, state: now });
    const members = [...this.find({ state: 'failed' }).slice(0, 1), ...this.find({ state: 'running' }).slice(0, 4)];
    const group = { id: uuid(70_001), jobs: 48, succeeded: 43, failed: 1, cancelled: 0, expired: 0, pending: 4 };
    return {
      waitsFor: state === 'waiting' ? { ...group, members: members.map(link) } : null,
      followedBy: state === 'running' ? this.find({ state: 'waiting' }).slice(0, 2).map(link) : [],
    };
  }

  /** The jobs of payments are durable. */
  private stepsOf({ name, state, startedAt, createdAt, runAt }: Row): JobStep[] {
    if (name !== 'payment.capture') {
      return [];
    }
    const at = startedAt ?? createdAt;
    const base = {
      state: 'done',
      attempt: 1,
      failures: 0,
      dueAt: null,
      awaits: [],
      error: null,
      children: null,
    } as const;
    const steps: JobStep[] = [
      { ...base, name: 'charge', kind: 'step', took: 412, recordedAt: at + 420 },
      { ...base, name: 'approved', kind: 'signal', took: null, recordedAt: at + 900 },
    ];
    if (state === 'scheduled') {
      const wait = { ...base, state: 'open', took: null, dueAt: runAt } as const;
      return [...steps, { ...wait, name: 'returned', kind: 'signal', awaits: ['returned'], recordedAt: at + 950 }];
    }
    if (state === 'failed') {
      const failed = { ...base, state: 'failed', failures: 3, took: null } as const;
      const error = 'CarrierError: The carrier has no label for this address.';
      return [...steps, { ...failed, name: 'print labels', kind: 'step', error, recordedAt: at + 2_000 }];
    }
    return steps;
  }

  changeQueue(queue: string, action: string | undefined, body: object): void {
    if (action === 'pause') {
      this.paused.set(queue, Date.now());
    } else if (action === 'resume') {
      this.paused.delete(queue);
    } else {
      this.limits.set(queue, body as QueueLimits);
    }
    this.note(action ?? '', queue, 'done');
  }

  changeWorker(id: string, action: string | undefined): void {
    this.requests.set(id, action === 'quiet' || action === 'stop' ? { action, by: 'mary', at: Date.now() } : null);
    this.note(action ?? '', `worker ${id}`, '1 changed');
  }

  changeSchedule(name: string, action: string | undefined): ScheduleRow | undefined {
    const index = this.schedules.findIndex((row) => row.name === name);
    const schedule = this.schedules[index];
    if (schedule && action !== 'run') {
      this.schedules[index] = { ...schedule, pausedAt: action === 'pause' ? Date.now() : null };
    }
    this.note(action ?? '', name, 'done');
    return this.schedules[index];
  }
}
