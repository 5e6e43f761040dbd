import {
  type EnqueueRecord,
  Evidence,
  type GroupRecord,
  type HandlerCall,
  INVARIANTS,
  type InjectedFault,
  type JobEvidence,
  type UnsettledState,
} from '@tablequeue/verify/internal';

/** In ms. A fault explains events up to two leases after its end. */
const LEASE = 1_000;

type Parts<Whole> = Partial<Omit<Whole, 'id' | 'token'>>;

/** Evidence written by a test. Times in ms from the start of the run. */
export class MadeUpEvidence {
  private readonly jobs = new Map<string, JobEvidence>();
  private readonly enqueues = new Map<string, EnqueueRecord>();
  private readonly faults: InjectedFault[] = [];
  private readonly groups: GroupRecord[] = [];
  readonly openGroups: string[] = [];
  readonly unsettled: UnsettledState[] = [];
  readonly transactions = new Map<
    string,
    { from?: number; committingAt?: number; committedAt?: number; rolledBackAt?: number }
  >();
  readonly orders = new Set<string>();
  readonly effects = new Map<string, number[]>();
  readonly cancelled = new Map<string, number>();
  subscribedAt: number | undefined = 0;

  /** Adds a job that succeeded with its last call, except for the given parts. Its token is its id. */
  job(id: string, { calls = [handlerCall(0, 10)], ...parts }: Parts<JobEvidence> = {}): this {
    const attempt = calls.at(-1)?.attempt ?? 0;
    const final = {
      state: 'succeeded',
      attempt,
      failures: 0,
      createdAt: 0,
      runAt: 0,
      claimedAt: 0,
      finishedAt: 0,
    } as const;
    const outcomes = calls.flatMap(({ attempt: each, process, to, returned }) =>
      to === undefined
        ? []
        : [{ attempt: each, process, at: to + 1, outcome: returned ? 'succeeded' : 'retried' } as const],
    );
    const sound = { kind: 'plain', key: undefined, steps: [], stalledAt: [], live: undefined, final, outcomes };
    this.jobs.set(id, { id, token: id, calls, ...sound, ...parts });
    return this;
  }

  /** Adds the same job once more, under another id. */
  duplicate(id: string, token: string): this {
    this.jobs.set(id, { ...this.jobs.get(token)!, id });
    return this;
  }

  /** Adds an enqueue without a transaction that returned at once, except for the given parts. */
  enqueue(token: string, parts: Parts<EnqueueRecord> & { readonly id?: string } = {}): this {
    const result = { from: 0, to: 1, id: token, created: true, error: undefined };
    const nothing = {
      transaction: undefined,
      sequence: undefined,
      order: undefined,
      signal: undefined,
      limit: undefined,
      tenant: undefined,
      replayedFrom: undefined,
    };
    const sound = { kind: 'plain', process: 'producer-1', ...nothing } as const;
    this.enqueues.set(token, { token, method: 'single', ...sound, ...result, ...parts });
    return this;
  }

  /** Adds a group of these jobs, with the callbacks `succeeded`, `failed` and `done`. */
  group(...members: string[]): this {
    const callbacks = { onSuccess: 'succeeded', onFailure: 'failed', onComplete: 'done' };
    this.groups.push({ members, callbacks });
    return this;
  }

  fault(parts: Partial<InjectedFault>): this {
    const sound = { fault: 'cut-connections', detail: '', target: 'everyone', from: 0, to: 0 } as const;
    this.faults.push({ allows: ['rerun', 'delay'], ...sound, ...parts });
    return this;
  }

  get whole(): Evidence {
    const transactions = [...this.transactions].map(([name, times]) => {
      const nothing = { from: 0, committingAt: undefined, committedAt: undefined, rolledBackAt: undefined };
      const error = times.rolledBackAt === undefined ? undefined : 'Error: gone';
      return [name, { ...nothing, ...times, error }] as const;
    });
    const { jobs, enqueues, groups, openGroups, faults, orders, effects, cancelled, unsettled, subscribedAt } = this;
    return new Evidence({
      jobs,
      enqueues,
      groups,
      openGroups,
      faults,
      orders,
      effects,
      cancelled,
      subscribedAt,
      transactions: new Map(transactions),
      processes: [],
      problems: [],
      unsettled,
      lease: LEASE,
      hasOneLock: false,
      isGalera: false,
    });
  }
}

/** Returns a call that has returned, except for the given parts. */
export function handlerCall(from: number, to: number | undefined, parts: Partial<HandlerCall> = {}): HandlerCall {
  return { from, to, process: 'worker-1', attempt: 1, returned: to !== undefined, ...parts };
}

/** Returns the names of the broken guarantees. */
export function broken({ whole }: MadeUpEvidence): string[] {
  return INVARIANTS.filter((invariant) => invariant.check(whole).length > 0).map(({ name }) => name);
}
