import type { RecordedEntry } from '../journal/read-journals.js';
import type { Payload } from '../workload/definitions.js';
import type {
  EnqueueRecord,
  GroupRecord,
  JobEvidence,
  ReportedOutcome,
  TransactionRecord,
} from './gathered-evidence.js';

/** The journal entry of a process that was paused. */
export type PauseEntry = Extract<RecordedEntry, { readonly event: 'paused' }>;

/** Groups journal entries and rows by job, enqueue and transaction. */
export class EvidenceCollector {
  readonly jobs = new Map<string, JobEvidence>();
  readonly enqueues = new Map<string, EnqueueRecord>();
  readonly groups: GroupRecord[] = [];
  readonly transactions = new Map<string, TransactionRecord>();
  readonly pauses: PauseEntry[] = [];
  subscribedAt: number | undefined;
  /** By id: jobs that were cancelled before they ran are known only by their rows. */
  readonly cancelled = new Map<string, number>();
  /** By id: no handler records the start of an event's job, so its outcomes come before it is known. */
  private readonly outcomes = new Map<string, ReportedOutcome[]>();

  /** Returns what is known about a job. Adds it if it is new. */
  findOrAddJob(id: string, kind: string, { token, key }: Pick<Payload, 'token' | 'key'>): JobEvidence {
    let job = this.jobs.get(id);
    if (!job) {
      const nothing = { live: undefined, final: undefined };
      job = { id, kind, token, key, calls: [], outcomes: this.outcomesOf(id), steps: [], stalledAt: [], ...nothing };
      this.jobs.set(id, job);
    }
    return job;
  }

  /** Adds the next entry. Entries must be added in the order in which they were recorded. */
  addEntry(entry: RecordedEntry): void {
    const { process, at } = entry;
    switch (entry.event) {
      case 'enqueue': {
        const { token, kind, method, transaction, sequence, order, signal, limit, tenant, replayedFrom } = entry;
        const unknown = { to: undefined, id: undefined, created: false, error: undefined };
        const details = { transaction, sequence, order, signal, limit, tenant, replayedFrom };
        this.enqueues.set(token, { token, kind, method, process, ...details, from: at, ...unknown });
        break;
      }
      case 'group':
        this.groups.push({ members: entry.members, callbacks: entry.callbacks });
        break;
      case 'enqueued':
        Object.assign(this.enqueues.get(entry.token)!, { to: at, id: entry.id, created: entry.created });
        break;
      case 'enqueue-failed':
        Object.assign(this.enqueues.get(entry.token)!, { to: at, error: entry.error });
        break;
      case 'begin':
        this.findOrAddTransaction(entry.transaction, at);
        break;
      case 'committing':
        this.findOrAddTransaction(entry.transaction, at).committingAt = at;
        break;
      case 'committed':
        this.findOrAddTransaction(entry.transaction, at).committedAt = at;
        break;
      case 'rolled-back': {
        const transaction = this.findOrAddTransaction(entry.transaction, at);
        Object.assign(transaction, { rolledBackAt: at, error: entry.error || undefined });
        break;
      }
      case 'start': {
        const { id, kind, token, key, attempt } = entry;
        const job = this.findOrAddJob(id, kind, { token, ...(key !== undefined && { key }) });
        job.calls.push({ process, attempt, from: at, to: undefined, returned: false });
        break;
      }
      case 'end': {
        const call = this.jobs
          .get(entry.id)
          ?.calls.find((each) => each.attempt === entry.attempt && each.process === process && each.to === undefined);
        Object.assign(call!, { to: at, returned: entry.result === 'returned' });
        break;
      }
      case 'outcome':
        this.addOutcome(entry);
        break;
      case 'step':
        this.jobs.get(entry.id)?.steps.push({ step: entry.step, value: undefined, process, at });
        break;
      case 'step-result':
        this.jobs.get(entry.id)?.steps.push({ step: entry.step, value: entry.value, process, at });
        break;
      case 'stalled':
        this.jobs.get(entry.id)?.stalledAt.push(at);
        break;
      case 'cancelled':
        this.cancelled.set(entry.id, at);
        break;
      case 'paused':
        this.pauses.push(entry);
        break;
      case 'subscribed':
        this.subscribedAt ??= at;
        break;
      case 'tick':
      case 'ready':
        break;
    }
  }

  private outcomesOf(id: string): ReportedOutcome[] {
    let outcomes = this.outcomes.get(id);
    if (!outcomes) {
      outcomes = [];
      this.outcomes.set(id, outcomes);
    }
    return outcomes;
  }

  private addOutcome({ id, attempt, outcome, process, at }: Extract<RecordedEntry, { event: 'outcome' }>): void {
    this.outcomesOf(id).push({ attempt, outcome, process, at });
    if (outcome === 'parked') {
      // Its handler does not end.
      const call = this.jobs.get(id)?.calls.findLast((each) => each.attempt === attempt && each.process === process);
      Object.assign(call ?? {}, { to: at });
    }
  }

  private findOrAddTransaction(name: string, at: number): TransactionRecord {
    let transaction = this.transactions.get(name);
    if (!transaction) {
      const unknown = { committingAt: undefined, committedAt: undefined, rolledBackAt: undefined, error: undefined };
      transaction = { from: at, ...unknown };
      this.transactions.set(name, transaction);
    }
    return transaction;
  }
}
