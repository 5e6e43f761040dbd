/** What happened to an attempt, as the worker was told behind the commit. */
export type AttemptOutcome = 'succeeded' | 'failed' | 'retried' | 'snoozed' | 'cancelled' | 'returned' | 'lost';

/** How a job was enqueued. */
export type Way = 'alone' | 'bulk' | 'transaction' | 'savepoint' | 'group' | 'handler';

/** What a job of a group waits for. */
export type Callback = 'onSuccess' | 'onFailure' | 'onComplete';

/** What a process notes before and after what it does. Each is one line of JSON. */
export type Act =
  /** About to be enqueued. `transaction` where it is part of one. */
  | {
      readonly act: 'enqueue';
      readonly token: string;
      readonly kind: string;
      readonly way: Way;
      readonly transaction?: string;
      /** The one in whose order it was asked to run, and its place there. */
      readonly place?: number;
    }
  /** A group is about to be enqueued, with what waits for it; an `enqueue` for each of its jobs follows. All are tokens. */
  | {
      readonly act: 'group';
      readonly members: readonly string[];
      readonly callbacks: Readonly<Record<Callback, string>>;
    }
  /** `enqueue` has returned. */
  | { readonly act: 'enqueued'; readonly token: string; readonly id: string; readonly created: boolean }
  /** `enqueue` has thrown. */
  | { readonly act: 'refused'; readonly token: string; readonly error: string }
  /** A transaction is about to be begun. */
  | { readonly act: 'beginning'; readonly transaction: string }
  /** About to be sent. Until a `committed` or `rolled-back` follows its outcome is unknown. */
  | { readonly act: 'committing'; readonly transaction: string }
  | { readonly act: 'committed'; readonly transaction: string }
  /** `error` is empty where it was meant to be. */
  | { readonly act: 'rolled-back'; readonly transaction: string; readonly error: string }
  /** `cancel` has returned that it was cancelled: it must not begin any more. */
  | { readonly act: 'cancelled'; readonly id: string }
  /** A handler has been called: the first thing it does is this note. */
  | {
      readonly act: 'start';
      readonly id: string;
      readonly attempt: number;
      readonly kind: string;
      readonly token: string;
      readonly key?: string;
    }
  /** The last thing a handler does. */
  | { readonly act: 'end'; readonly id: string; readonly attempt: number; readonly how: 'returned' | 'threw' }
  | { readonly act: 'settled'; readonly id: string; readonly attempt: number; readonly how: AttemptOutcome }
  /** This process has freed it from a worker that it takes for dead. */
  | { readonly act: 'stalled'; readonly id: string; readonly attempt: number }
  | { readonly act: 'ready'; readonly pid: number }
  /** Nothing happened in this process for so many ms, up to now: it was stopped, or blocked, or had no processor. */
  | { readonly act: 'paused'; readonly ms: number };

/** One line of a journal. */
export type Entry = Act & {
  /** By `monotonic`. */
  readonly at: number;
};
