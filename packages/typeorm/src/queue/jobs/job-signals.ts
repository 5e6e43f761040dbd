import type { DataSource } from 'typeorm';

import { resolveActionRecord } from '../../action-options.js';
import { isThenable } from '../../async/thenable.js';
import { defined } from '../../defined.js';
import type { Codecs } from '../../codec/codecs.js';
import { assertJobId, newJobId, uuidToBytes } from '../../definition/job-id.js';
import { inputToJson } from '../../definition/json-text.js';
import { assertKey, assertStepName } from '../../definition/names.js';
import { type AnySignalDefinition, resolveSignal } from '../../definition/signal-definition.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Engine, executeIn } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { InvalidSignalError } from '../../errors/index.js';
import { messageOf } from '../../errors/thrown.js';
import { assertKnownOptions } from '../../options.js';
import { recordAction } from '../../store/actions/record-action.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { assertStepsAvailable } from '../../store/base/steps/assert-steps-available.js';
import { jobIdsOfKey } from '../../store/reports/find-jobs.js';
import { type NewSignal, type SentSignals, onceOfCall, sendSignals } from '../../store/steps/send-signal.js';
import { type CallerTransaction, TRANSACTION_OPTIONS } from '../enqueue/caller-transaction.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { TransactionEnds } from '../enqueue/transaction-ends.js';
import type { SignalOffers } from './signal-offers.js';
import type { SignalOptions } from './signal-options.js';

/** A signal as its call describes it. */
interface SignalContent {
  readonly name: string;
  /** Its text as it is stored; null for none. */
  readonly data: string | null;
  readonly once: string | null;
}

/** Sends signals to durable jobs. */
export class JobSignals {
  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly notifier: EnqueueNotifier,
    private readonly offers: SignalOffers,
    private readonly codecs: Codecs,
    private readonly maxBytes: number,
  ) {}

  async send(
    id: string,
    signal: string | AnySignalDefinition,
    data: unknown,
    options: SignalOptions,
  ): Promise<'sent' | 'known' | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    // oxlint-disable-next-line require-yield -- the id is known
    const { live, sent } = await this.run(`job ${id}`, signal, data, options, function* () {
      return [bytes];
    });
    return sent.length > 0 ? 'sent' : live.length > 0 ? 'known' : undefined;
  }

  async sendByKey(
    key: string,
    signal: string | AnySignalDefinition,
    data: unknown,
    options: SignalOptions,
  ): Promise<{ readonly sent: number }> {
    assertKey(key);
    const target = `jobs with key ${key}`;
    const { sent } = await this.run(target, signal, data, options, (dialect) => jobIdsOfKey(dialect, key));
    return { sent: sent.length };
  }

  private async run(
    target: string,
    signal: string | AnySignalDefinition,
    data: unknown,
    options: SignalOptions,
    findJobs: (dialect: Dialect) => Operation<readonly Buffer[]>,
  ): Promise<SentSignals> {
    assertKnownOptions(options, ['once', 'by', ...TRANSACTION_OPTIONS]);
    const { once, by, ...transaction } = options;
    if (once !== undefined) {
      assertStepName(once);
    }
    assertStepsAvailable(this.engine.dialect, 'queue.signal');
    const encoded = await this.encode(signal, data);
    const record = resolveActionRecord(defined({ by }), 'signal', target, { signal: encoded.name });
    const handle = this.caller.findForChange(transaction, 'The signal to a job');
    // One id for all jobs and tries: a repeated try finds what an earlier one has stored.
    const id = newJobId();
    const content = { ...encoded, once: once ?? (handle ? null : onceOfCall(id)) };
    const done = await executeIn(
      this.engine,
      handle,
      function* (dialect, isRetry) {
        const ids = inKeyOrderOf(yield* findJobs(dialect), (each) => ({ id: each }));
        const result = yield* sendSignals(dialect, signalsOf(ids, id, content), isRetry);
        if (record) {
          const changed = result.sent.length;
          yield* recordAction(dialect, record, { changed, skipped: ids.length - changed });
        }
        return result;
      },
      { purpose: 'send a signal', atomic: true },
    );
    for (const notice of noticesForReady(done.ready)) {
      await this.notifier.notifyAfterCommit(handle, notice);
    }
    if (!handle) {
      await this.offers.offer(done.sent);
    } else if (done.sent.length > 0) {
      TransactionEnds.of(this.dataSource).once(handle, (committed) => {
        void (committed && this.offers.offer(done.sent));
      });
    }
    return done;
  }

  /** @throws InvalidSignalError, InvalidNameError, EncodeFailedError */
  private async encode(signal: string | AnySignalDefinition, data: unknown): Promise<Omit<SignalContent, 'once'>> {
    const { name, schema, codec } = resolveSignal(signal);
    const text = jsonOf(name, data, schema !== undefined);
    const encoder = this.codecs.encoderFor({ codec });
    if (encoder === undefined) {
      this.assertSize(name, text);
    }
    if (schema) {
      const pending = schema['~standard'].validate(text === null ? undefined : JSON.parse(text));
      const { issues } = isThenable(pending) ? await pending : pending;
      if (issues) {
        throw new InvalidSignalError(name, issues.map(({ message }) => message).join('; '));
      }
    }
    if (encoder === undefined || text === null) {
      return { name, data: text };
    }
    const encoded = await this.codecs.encode(encoder, text, 'signal', `data of the signal "${name}"`);
    this.assertSize(name, encoded);
    return { name, data: encoded };
  }

  /** @throws InvalidSignalError */
  private assertSize(name: string, stored: string | null): void {
    const bytes = stored === null ? 0 : Buffer.byteLength(stored);
    if (bytes > this.maxBytes) {
      throw new InvalidSignalError(name, `it is ${bytes} bytes as it is stored, the limit is ${this.maxBytes}`);
    }
  }
}

function signalsOf(ids: readonly Buffer[], id: Buffer, content: SignalContent): NewSignal[] {
  return ids.map((jobId) => ({ ...content, id, jobId }));
}

/** @throws InvalidSignalError */
function jsonOf(name: string, data: unknown, hasSchema: boolean): string | null {
  try {
    const dateAdvice = hasSchema ? undefined : 'pass text or ms';
    return data === undefined ? null : inputToJson(data, 'it', dateAdvice).toWellFormed();
  } catch (error) {
    throw new InvalidSignalError(name, messageOf(error), { cause: error });
  }
}
