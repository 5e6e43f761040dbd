/** What happened to an attempt, as the worker reported it after the commit. */
export type AttemptOutcome =
  'succeeded' | 'failed' | 'retried' | 'snoozed' | 'parked' | 'cancelled' | 'expired' | 'returned' | 'lost';

/** How a job was enqueued. */
export type EnqueueMethod = 'single' | 'bulk' | 'transaction' | 'savepoint' | 'group' | 'handler';

export type Callback = 'onSuccess' | 'onFailure' | 'onComplete';

/** What a process records before and after each of its actions. */
export type JournalEvent =
  /** A job is about to be enqueued. `transaction` names the transaction that it is part of. */
  | {
      readonly event: 'enqueue';
      readonly token: string;
      readonly kind: string;
      readonly method: EnqueueMethod;
      readonly transaction?: string;
      /** Its number in a queue with a strict order. */
      readonly sequence?: number;
      /** The key of its order. */
      readonly order?: string;
      /** The data of the signal that is committed with it. */
      readonly signal?: string;
      /** How long after its enqueue its first attempt may start, in ms. */
      readonly limit?: number;
      /** The tenant whose rate applies. */
      readonly tenant?: string;
      /** From which time on it replays events, in ms of the database's clock. */
      readonly replayedFrom?: number;
    }
  /**
   * A group is about to be enqueued, with its callbacks. An `enqueue` for each job follows. Jobs are named by token.
   */
  | {
      readonly event: 'group';
      readonly members: readonly string[];
      readonly callbacks: Readonly<Record<Callback, string>>;
    }
  /** `enqueue` has returned. */
  | { readonly event: 'enqueued'; readonly token: string; readonly id: string; readonly created: boolean }
  /** `enqueue` has thrown. */
  | { readonly event: 'enqueue-failed'; readonly token: string; readonly error: string }
  /** A transaction is about to start. */
  | { readonly event: 'begin'; readonly transaction: string }
  /** COMMIT is about to be sent. Its outcome is unknown until `committed` or `rolled-back` follows. */
  | { readonly event: 'committing'; readonly transaction: string }
  | { readonly event: 'committed'; readonly transaction: string }
  /** `error` is empty if the rollback was intended. */
  | { readonly event: 'rolled-back'; readonly transaction: string; readonly error: string }
  /** `cancel` has returned `cancelled`: the job must not start any more. */
  | { readonly event: 'cancelled'; readonly id: string }
  /** The first thing that a handler does. */
  | {
      readonly event: 'start';
      readonly id: string;
      readonly attempt: number;
      readonly kind: string;
      readonly token: string;
      readonly key?: string;
    }
  /** The last thing that a handler does. */
  | { readonly event: 'end'; readonly id: string; readonly attempt: number; readonly result: 'returned' | 'threw' }
  /** The function of a durable job's step is called. */
  | { readonly event: 'step'; readonly id: string; readonly step: string }
  /** A durable job has got the result of a step or a wait, as JSON text. */
  | { readonly event: 'step-result'; readonly id: string; readonly step: string; readonly value: string }
  /** The worker has reported an outcome. */
  | { readonly event: 'outcome'; readonly id: string; readonly attempt: number; readonly outcome: AttemptOutcome }
  /** This process has taken the job from a worker that it considers dead. */
  | { readonly event: 'stalled'; readonly id: string; readonly attempt: number }
  /** A worker has registered the subscription `HISTORY`. */
  | { readonly event: 'subscribed' }
  /** A recurring job has run. */
  | { readonly event: 'tick' }
  | { readonly event: 'ready'; readonly pid: number }
  /** The process did nothing for the given ms, until now: it was stopped, blocked, or without CPU. */
  | { readonly event: 'paused'; readonly ms: number };

/** One line of a journal, as JSON. */
export type JournalEntry = JournalEvent & {
  /** By `monotonic`. */
  readonly at: number;
};
