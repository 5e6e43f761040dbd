import { type PauseOptions, resolveActionRecord, resolveReason } from '../../action-options.js';
import { allPromises } from '../../async/thenable.js';
import { definedJob } from '../../definition/define-job.js';
import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { assertJobName, assertQueueName } from '../../definition/names.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { InvalidOptionError, JobGroupError, JobNotFoundError } from '../../errors/index.js';
import { assertKnownOptions } from '../../options.js';
import { type StoredJobRow, findJobRow } from '../../store/actions/find-job-row.js';
import { lockJob } from '../../store/actions/lock-job.js';
import { type ActionRecord, recordAction } from '../../store/actions/record-action.js';
import { replacePayload } from '../../store/actions/replace-payload.js';
import { rescheduleJob } from '../../store/actions/reschedule-job.js';
import { notYetStored } from '../../store/base/jobs/insert-jobs.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import { LAST_TIME } from '../../store/browse/browse-filter.js';
import { insertUniqueJobs } from '../../store/enqueue/insert-unique-jobs.js';
import { retryFinishedJobs } from '../../store/finished/retry-finished-jobs.js';
import { OUTCOMES } from '../../tables/job.js';
import { type EnqueueNotifier, noticeFor, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { resolveJobOptions } from '../enqueue/enqueue-options.js';
import type { Enqueuer } from '../enqueue/enqueuer.js';
import { actOf } from '../jobs/act-on-jobs.js';
import type { OrderKeyAdvancer } from '../jobs/order-key-advancer.js';
import { type CopyOptions, type ManualJob, type RescheduleOptions, splitWho } from './manual-options.js';
import { assertSameKeys, copyOf, prepareByHand, prepareEdited } from './prepare-by-hand.js';

const DONE = { changed: 1, skipped: 0 };

/** At READ COMMITTED: all reads see what was committed before the lock, also at another level of the application. */
const TRANSACTION = { atomic: true, withoutGaps: true } as const;

/**
 * What a person does to one job: `queue.manual`. Each call commits on its own. With `by` it is recorded in `tq_audit`,
 * in the same transaction, without payloads. See docs/decisions/0142.
 */
export class ManualActions {
  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly enqueuer: Enqueuer,
    private readonly notifier: EnqueueNotifier,
    private readonly orderKeys: OrderKeyAdvancer,
  ) {}

  /**
   * Enqueues a job by the name of its definition. If this process has the definition, it checks the payload, and gives
   * the job its unique key, its order, its tenant and its expiry time. Otherwise nothing checks the payload, and the job
   * has none of these.
   *
   * @example
   * ```ts
   * await queue.manual.enqueue({ name: 'mail.send', queue: 'mail', payload: { to: 'ada@example.org' } }, { by: 'ada' });
   * ```
   *
   * @returns the id of the job.
   * @throws DuplicateJobError if another job has its unique key, whatever `onConflict` of the definition is.
   * @throws EventJobError for the queue of events; QueueFullError, InvalidPayloadError and the other errors of `enqueue`.
   */
  async enqueue(job: ManualJob, options: PauseOptions = {}): Promise<string> {
    assertKnownOptions(job, ['name', 'queue', 'payload', 'delay', 'runAt', 'priority', 'key']);
    const [who] = splitWho(options);
    const { name, queue, payload, ...jobOptions } = job;
    assertJobName(name);
    if (queue !== undefined) {
      assertQueueName(queue);
    } else if (!definedJob(name)) {
      throw new InvalidOptionError('queue', queue, `given: this process has no definition "${name}"`);
    }
    const prepared = await prepareByHand(this.enqueuer, name, queue, payload, jobOptions);
    return this.store(prepared, 'enqueue', who, { name, queue: prepared.queue });
  }

  /**
   * Stores a copy of a job in any state: with another id, and the queue, name, payload, priority, key and tenant of the
   * job. It is due now, and has its attempts, errors and steps of its own. It takes the unique key, and comes last of
   * the order key. It belongs to no group, and does not expire unless its payload was edited.
   *
   * The audit log records the id of the job with that of the copy, also without `by`.
   *
   * @returns the id of the copy.
   * @throws JobNotFoundError, EventJobError
   * @throws DuplicateJobError if a job has the unique key, such as the job itself while it is unfinished.
   * @throws the errors of `retry` for another payload; QueueFullError, InvalidOptionError, UnknownOptionError.
   */
  async copy(id: string, options: CopyOptions = {}): Promise<string> {
    const [who, { payload, ...due }] = splitWho(options, ['payload', 'delay', 'runAt']);
    const row = await this.read(id);
    const job =
      payload === undefined ? copyOf(id, row, due) : await prepareEdited(this.enqueuer, id, row, payload, due);
    const note = { copyOf: id, ...(payload !== undefined && { payload: 'edited' }) };
    return this.store(job, 'copy', { by: null, ...who }, note);
  }

  /**
   * Retries a failed, cancelled or expired job with another payload, as `jobs.retry` does without one. If this process
   * has the definition of the job, its schema checks the payload, and its codec encodes it.
   *
   * @param payload JSON data.
   * @throws JobNotFoundError, JobLockedError; JobStateError if it was retried meanwhile, or has not failed.
   * @throws DuplicateJobError if another job has its unique key now.
   * @throws JobKeyChangedError if the payload would change its unique key or order key: copy it instead.
   * @throws JobStepsError for a durable job with stored steps; JobGroupError for a child; EventJobError for an event.
   * @throws InvalidPayloadError, UnserializablePayloadError, PayloadTooLargeError, EncodeFailedError.
   * @throws UnknownCodecError if its stored payload is encoded, and this process does not know how.
   * @throws InvalidOptionError, UnknownOptionError.
   */
  async retry(id: string, payload: unknown, options: PauseOptions = {}): Promise<void> {
    const [who] = splitWho(options);
    const note = recordOf('retry', id, who, { payload: 'edited' });
    const row = await this.read(id);
    const prepared = await prepareEdited(this.enqueuer, id, row, payload);
    assertSameKeys(id, row, prepared);
    const { payload: text, payloadVersion } = await this.enqueuer.encode(prepared);
    const bytes = uuidToBytes(id);
    const done = await this.engine.execute(
      function* (dialect) {
        yield* lockJob(dialect, bytes, RETRYABLE, 'has failed, has expired or was cancelled');
        yield* replacePayload(dialect, bytes, text, payloadVersion);
        const { retried, conflicts, orderKeys } = yield* retryFinishedJobs(dialect, [{ id: bytes }], true);
        if (retried.length === 0) {
          // The row is locked and in a state that can be retried.
          throw conflicts[0] ?? new JobGroupError(id, 'child');
        }
        yield* record(dialect, note);
        return { retried, orderKeys };
      },
      // A second run would refuse what the first has done.
      { purpose: 'retry a job with another payload', ...TRANSACTION, repeatable: false },
    );
    await allPromises(noticesForReady(done.retried).map((notice) => this.notifier.notify(notice)));
    await this.orderKeys.advance(done.orderKeys);
  }

  /**
   * Gives a scheduled or ready job another time; one that has passed makes it ready now. Its expiry time moves along.
   *
   * @throws InvalidOptionError without `delay` and `runAt`; UnknownOptionError.
   * @throws JobNotFoundError, JobLockedError; JobStateError if it was claimed meanwhile, or has ended.
   * @throws JobOrderError behind others of its order key; JobGroupError for a callback that waits for its group;
   *   JobStepsError for a durable job that waits in a step.
   */
  async reschedule(id: string, options: RescheduleOptions): Promise<void> {
    const [who, time] = splitWho(options, ['delay', 'runAt']);
    assertJobId(id);
    if (time.delay === undefined && time.runAt === undefined) {
      throw new InvalidOptionError('runAt', undefined, 'given, or "delay"');
    }
    const { due } = resolveJobOptions(time);
    const at = 'at' in due ? { to: new Date(due.at).toISOString() } : { delay: due.delay };
    const note = recordOf('reschedule', id, who, at);
    const { queue, dueIn, priority, tenant } = await this.engine.execute(
      function* (dialect) {
        const job = yield* rescheduleJob(dialect, uuidToBytes(id), due);
        yield* record(dialect, note);
        return job;
      },
      // A second run could find the job claimed, and would refuse what the first has done.
      { purpose: 'reschedule a job', ...TRANSACTION, repeatable: false },
    );
    const timing = { due: { delay: Math.max(dueIn, 0) }, priority, tenant, order: null };
    await this.notifier.notify(noticeFor(queue, [timing]));
  }

  /**
   * Deletes a finished job with its payload, result, errors, steps and log. A failed job blocks its order key no longer.
   *
   * @throws JobNotFoundError, JobLockedError; JobStateError for a job that has not ended: cancel it before.
   * @throws InvalidOptionError, UnknownOptionError.
   */
  async delete(id: string, options: PauseOptions = {}): Promise<void> {
    const [who] = splitWho(options);
    const { name, queue } = await this.read(id);
    const note = recordOf('delete', id, who, { name, queue });
    const bytes = uuidToBytes(id);
    const act = actOf('delete', { until: LAST_TIME });
    const { orderKeys } = await this.engine.execute(
      function* (dialect) {
        yield* lockJob(dialect, bytes, OUTCOMES, 'has ended: cancel it before');
        const done = yield* act(dialect, [{ at: 0, id: bytes }]);
        yield* record(dialect, note);
        return done;
      },
      { purpose: 'delete a job', ...TRANSACTION, repeatable: false },
    );
    await this.orderKeys.advance(orderKeys);
  }

  private async read(id: string): Promise<StoredJobRow> {
    assertJobId(id);
    const row = await executeRead(this.engine, 'find a job', (dialect) => findJobRow(dialect, uuidToBytes(id)));
    if (!row) {
      throw new JobNotFoundError(id);
    }
    return row;
  }

  /** Stores a new job and its record: both or none. */
  private async store(prepared: NewJob, action: string, who: PauseOptions, detail: object): Promise<string> {
    const id = uuidFromBytes(prepared.id);
    const note = recordOf(action, id, who, detail);
    await this.enqueuer.admit([prepared], undefined);
    await this.enqueuer.send([prepared], async (jobs) => {
      await this.engine.execute(
        function* (dialect, again) {
          const missing = again ? yield* notYetStored(dialect, jobs) : jobs;
          if (missing.length > 0) {
            yield* insertUniqueJobs(dialect, missing);
            yield* record(dialect, note);
          }
        },
        { purpose: `${action} a job`, atomic: true },
      );
      await this.enqueuer.onStored(prepared.queue, jobs);
      return undefined;
    });
    return id;
  }
}

const RETRYABLE = OUTCOMES.filter((outcome) => outcome !== 'succeeded');

/** @throws InvalidOptionError */
function recordOf(
  action: string,
  id: string,
  { by, reason }: PauseOptions,
  detail: object = {},
): ActionRecord | undefined {
  const all = { ...detail, ...resolveReason(reason) };
  const known = Object.keys(all).length > 0 ? all : null;
  return resolveActionRecord(by === undefined ? {} : { by }, action, `job ${id}`, known);
}

function* record(dialect: Dialect, note: ActionRecord | undefined): Operation<void> {
  if (note) {
    yield* recordAction(dialect, note, DONE);
  }
}
