import {
  type EnqueueRecord,
  Evidence,
  type InjectedFault,
  type GroupRecord,
  type JobEvidence,
  type HandlerCall,
} from '@tablequeue/verify/internal';

/** In ms: faults explain what happens up to twice as long behind their end. */
const LEASE = 1_000;

type Parts<Whole> = Partial<Omit<Whole, 'id' | 'token'>>;

/** What the bench might have gathered. Times in ms from the beginning of the run. */
export class MadeUpEvidence {
  private readonly jobs = new Map<string, JobEvidence>();
  private readonly enqueues = new Map<string, EnqueueRecord>();
  private readonly faults: InjectedFault[] = [];
  private readonly groups: GroupRecord[] = [];
  readonly openGroups: string[] = [];
  readonly transactions = new Map<
    string,
    { from?: number; committingAt?: number; committedAt?: number; rolledBackAt?: number }
  >();
  readonly orders = new Set<string>();
  readonly effects = new Map<string, number[]>();
  readonly cancelled = new Map<string, number>();

  /** A job that has succeeded with its last run, but for what is said. Its token is its id. */
  job(id: string, { calls = [run(0, 10)], ...parts }: Parts<JobEvidence> = {}): this {
    const attempt = calls.at(-1)?.attempt ?? 0;
    const final = { state: 'succeeded', attempt, failures: 0, runAt: 0, claimedAt: 0, finishedAt: 0 } as const;
    const settled = calls.flatMap(({ attempt: each, process, to, returned }) =>
      to === undefined
        ? []
        : [{ attempt: each, process, at: to + 1, how: returned ? 'succeeded' : 'retried' } as const],
    );
    const sound = { kind: 'plain', key: undefined, stalledAt: [], live: undefined, final, settled };
    this.jobs.set(id, { id, token: id, calls, ...sound, ...parts });
    return this;
  }

  /** The same job once more, under another id. */
  again(id: string, token: string): this {
    this.jobs.set(id, { ...this.jobs.get(token)!, id });
    return this;
  }

  /** An enqueue by itself that was answered at once, but for what is said. */
  enqueue(token: string, parts: Parts<EnqueueRecord> & { readonly id?: string } = {}): this {
    const answer = { from: 0, to: 1, id: token, created: true, error: undefined };
    const sound = { kind: 'plain', process: 'producer-1', transaction: undefined, place: undefined } as const;
    this.enqueues.set(token, { token, way: 'alone', ...sound, ...answer, ...parts });
    return this;
  }

  /** A group of these jobs, for which `succeeded`, `failed` and `done` wait. */
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
    const transactions = [...this.transactions].map(([name, act]) => {
      const nothing = { from: 0, committingAt: undefined, committedAt: undefined, rolledBackAt: undefined };
      const error = act.rolledBackAt === undefined ? undefined : 'Error: gone';
      return [name, { ...nothing, ...act, error }] as const;
    });
    const { jobs, enqueues, groups, faults, orders, effects, cancelled } = this;
    const bench = {
      openGroups: this.openGroups,
      processes: [],
      troubles: [],
      lease: LEASE,
      hasOneLock: false,
      isGalera: false,
    };
    return new Evidence({
      jobs,
      enqueues,
      groups,
      faults,
      orders,
      effects,
      cancelled,
      transactions: new Map(transactions),
      ...bench,
    });
  }
}

/** A run that has returned, but for what is said. */
export function run(from: number, to: number | undefined, parts: Partial<HandlerCall> = {}): HandlerCall {
  return { from, to, process: 'worker-1', attempt: 1, returned: to !== undefined, ...parts };
}
