import type { SignalDefinition } from '../definition/signal-definition.js';
import type { StepSnapshot } from '../store/reports/list-steps.js';
import { findStepsOf } from './jobs/find-by.js';
import type { SignalOptions } from './jobs/signal-options.js';
import { QueueServices } from './queue-services.js';

/** Adds the calls for durable jobs. */
export abstract class DurableQueue extends QueueServices {
  /**
   * Sends a signal to a durable job, which receives it with `job.waitForSignal`: at once if it waits, and otherwise at
   * its next wait for this signal. With `manager` or `queryRunner` the signal is part of their transaction.
   *
   * @example
   * ```ts
   * await queue.signal(id, approved, { by: 'ada' }, { manager });
   * ```
   *
   * @param data JSON data; its type is that of the definition.
   * @returns `'sent'`; `'known'` if the job has a signal with the same `once`; undefined if the job has finished or
   *   does not exist.
   * @throws InvalidSignalError for data that cannot be stored, or that the schema rejects.
   * @throws InvalidNameError, InvalidOptionError, UnknownOptionError; OutsideTransactionError as `enqueue` does;
   *   StepsUnavailableError on a server without SKIP LOCKED.
   */
  async signal<Data = unknown>(
    id: string,
    signal: string | SignalDefinition<Data>,
    data?: NoInfer<Data>,
    options: SignalOptions = {},
  ): Promise<'sent' | 'known' | undefined> {
    return this.signals.send(id, signal, data, options);
  }

  /**
   * Sends a signal to all live jobs with a key, as `signal` does.
   *
   * @returns to how many jobs it was sent.
   * @throws the errors of `signal`.
   */
  async signalByKey<Data = unknown>(
    key: string,
    signal: string | SignalDefinition<Data>,
    data?: NoInfer<Data>,
    options: SignalOptions = {},
  ): Promise<{ readonly sent: number }> {
    return this.signals.sendByKey(key, signal, data, options);
  }

  /**
   * Lists the steps and waits of a durable job, in the order in which they were stored. Empty for other jobs.
   *
   * @param options `results`: whether to read their results. Default: false.
   * @throws InvalidOptionError for an invalid id, UnknownOptionError.
   */
  async steps(id: string, options: { readonly results?: boolean } = {}): Promise<StepSnapshot[]> {
    return findStepsOf(this.engine, this.codecs, id, options);
  }
}
