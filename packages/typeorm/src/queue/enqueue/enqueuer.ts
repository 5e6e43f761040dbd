import { Batcher } from '../../async/batcher.js';
import { mapConcurrently } from '../../async/map-concurrently.js';
import { allPromises } from '../../async/thenable.js';
import type { Codecs } from '../../codec/codecs.js';
import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { newJobId, uuidFromBytes } from '../../definition/job-id.js';
import { assertPayloadSize, payloadToJson } from '../../definition/payload-json.js';
import type { Engine } from '../../engine/engine.js';
import type { TransactionHandle } from '../../engine/transaction-handle.js';
import type { Instrumentation } from '../../instrumentation/instrumentation.js';
import { assertList } from '../../options.js';
import { insertJobs, takesTransaction } from '../../store/base/jobs/insert-jobs.js';
import { type NewJob, sharedValue } from '../../store/base/jobs/new-job.js';
import type { OrderKeyAdvancer } from '../jobs/order-key-advancer.js';
import { type EnqueueNotifier, noticeFor } from './enqueue-notifier.js';
import { type JobOptions, assertBulkJob, resolveJobOptions } from './enqueue-options.js';
import type { EnqueuedJob } from './enqueued-job.js';
import { PreparedJob, whenAccepted } from './prepared-job.js';
import type { QueueLengths } from './queue-lengths.js';
import { storeUniqueJobs } from './store-unique-jobs.js';

/** How many payloads of one call are encoded at a time. */
const MOST_ENCODINGS = 16;

/** Prepares jobs and stores them: in the caller's transaction, or in an INSERT that simultaneous calls share. */
export class Enqueuer {
  private readonly batcher: Batcher<NewJob, undefined>;

  /** @param maxPayloadBytes the largest payload, in bytes as it is stored. */
  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly orderKeys: OrderKeyAdvancer,
    private readonly lengths: QueueLengths,
    private readonly maxPayloadBytes: number,
    private readonly codecs: Codecs,
    private readonly instrumentation: Instrumentation | undefined,
  ) {
    // The caller waits for each job, so an event-loop turn would slow it down. A synchronous engine needs the turn: a
    // loop of enqueues would keep timers from running.
    const schedule = engine.isSynchronous ? setImmediate : (callback: () => void) => process.nextTick(callback);
    this.batcher = new Batcher(
      async (jobs, isRetry) => {
        await this.insert(jobs, isRetry);
        return jobs.map(() => undefined);
      },
      engine.dialect.jobsPerInsert,
      schedule,
    );
  }

  /** @param handle the caller's transaction. */
  async one(
    definition: AnyJobDefinition,
    payload: unknown,
    options: JobOptions,
    handle: TransactionHandle | undefined,
  ): Promise<EnqueuedJob> {
    const prepared = await this.prepare(definition, payload, options);
    const admission = this.admit([prepared], handle);
    if (admission) {
      await admission;
    }
    const job = prepared.encoder === undefined ? prepared : await this.encode(prepared);
    if (this.instrumentation === undefined) {
      return this.storeOne(job, handle);
    }
    const [enqueued] = await this.send([job], async ([traced = job]) => [await this.storeOne(traced, handle)]);
    return enqueued;
  }

  /** Stores all jobs or none. Every payload and option is checked before the first is stored. */
  async many(
    definition: AnyJobDefinition,
    jobs: readonly (JobOptions & { readonly payload?: unknown })[],
    handle: TransactionHandle | undefined,
  ): Promise<EnqueuedJob[]> {
    assertJobDefinition('definition', definition);
    assertList('jobs', jobs, 'a list of jobs');
    const prepare = (job: (typeof jobs)[number], index: number) => {
      const path = `jobs[${index}].`;
      assertBulkJob(job, path);
      return this.prepare(definition, job.payload, job, path);
    };
    // All at once, before the first schema is waited for: the caller may change the payloads meanwhile.
    const prepared = definition.schema
      ? await Promise.all(jobs.map(async (job, index) => prepare(job, index)))
      : (jobs.map(prepare) as NewJob[]);
    if (prepared.length === 0) {
      return [];
    }
    await this.admit(prepared, handle);
    return this.send(prepared, (jobs) => this.storeMany(definition.queue, jobs, handle));
  }

  /**
   * Refuses jobs for full queues. Not called for jobs that must not be refused: of schedules, and children.
   *
   * @returns a promise if the caller must wait for it.
   * @throws QueueFullError
   */
  admit(jobs: readonly NewJob[], handle: TransactionHandle | undefined): Promise<void> | undefined {
    return this.lengths.admit(jobs, handle);
  }

  /** Encodes and stores jobs, with their trace if there is an instrumentation. */
  async send<Stored extends readonly EnqueuedJob[] | undefined>(
    jobs: readonly NewJob[],
    store: (jobs: readonly NewJob[]) => Promise<Stored>,
  ): Promise<Stored> {
    const stored = jobs.some(({ encoder }) => encoder !== undefined)
      ? await mapConcurrently(jobs, MOST_ENCODINGS, (job) => this.encode(job))
      : jobs;
    return this.instrumentation ? sendTraced(this.instrumentation, stored, store) : store(stored);
  }

  /** @returns the job before its payload is encoded; a promise of it if its payload has a schema. */
  prepare(definition: AnyJobDefinition, payload: unknown, options: JobOptions, path = ''): NewJob | Promise<NewJob> {
    assertJobDefinition('definition', definition);
    const resolved = resolveJobOptions(options, path);
    const id = newJobId();
    const encoder = this.codecs.encoderFor(definition);
    const text = payloadToJson(definition, payload, encoder ? Infinity : this.maxPayloadBytes);
    const make = () => new PreparedJob(id, definition, payload, text, resolved, encoder);
    return definition.schema ? whenAccepted(definition, text, make) : make();
  }

  /** @throws EncodeFailedError, PayloadTooLargeError */
  async encode(job: NewJob): Promise<NewJob> {
    const { encoder, name, payload: text } = job;
    if (encoder === undefined || text === null) {
      return job;
    }
    const payload = await this.codecs.encode(encoder, text, 'payload', `payload of job "${name}"`);
    assertPayloadSize(name, payload, this.maxPayloadBytes, encoder.id);
    return { ...job, payload, encoder: undefined };
  }

  private async storeOne(job: NewJob, handle: TransactionHandle | undefined): Promise<EnqueuedJob> {
    if (job.unique) {
      const [enqueued] = await this.storeUnique(job.queue, [job], handle);
      return enqueued as EnqueuedJob;
    }
    await this.storePrepared(job, handle);
    return created(job);
  }

  private async storeMany(
    queue: string,
    jobs: readonly NewJob[],
    handle: TransactionHandle | undefined,
  ): Promise<EnqueuedJob[]> {
    if (jobs.some(({ unique }) => unique)) {
      return this.storeUnique(queue, jobs, handle);
    }
    await this.store(queue, jobs, handle, () => this.insert(jobs));
    return jobs.map(created);
  }

  /**
   * Stores jobs of one queue, and notifies the workers of this process when they are committed.
   *
   * @param outside stores them outside the caller's transactions.
   */
  private async store(
    queue: string,
    jobs: readonly NewJob[],
    handle: TransactionHandle | undefined,
    outside: () => Promise<unknown>,
  ): Promise<unknown> {
    await (handle ? this.engine.executeOn(handle, (dialect) => insertJobs(dialect, jobs), 'enqueue jobs') : outside());
    return this.onStored(queue, jobs, handle);
  }

  private async storeUnique(
    queue: string,
    jobs: readonly NewJob[],
    handle: TransactionHandle | undefined,
  ): Promise<EnqueuedJob[]> {
    const stored = await storeUniqueJobs(this.engine, jobs, handle);
    const waiting = jobs.filter((_job, index) => stored[index]?.created || stored[index]?.replaced);
    if (waiting.length > 0) {
      await this.onStored(queue, waiting, handle);
    }
    return stored;
  }

  /** Stores a job that was prepared without options. */
  storePrepared(job: NewJob, handle: TransactionHandle | undefined): Promise<unknown> {
    return this.store(job.queue, [job], handle, () => this.batcher.add(job));
  }

  /**
   * Jobs of one queue were stored. Notifies the workers of this process once the transaction of the handle is
   * committed, and advances order keys; at once if there is no transaction.
   *
   * @returns a promise if the caller should wait for it.
   */
  onStored(queue: string, jobs: readonly NewJob[], handle?: TransactionHandle): Promise<unknown> | undefined {
    return allPromises([
      this.orderKeys.advanceAfterCommit(handle, jobs),
      this.notifier.notifyAfterCommit(handle, noticeFor(queue, jobs)),
    ]);
  }

  /**
   * Inserts all jobs or none, outside the caller's transactions.
   *
   * @param wasTried some of them may be stored already.
   */
  private insert(jobs: readonly NewJob[], wasTried = false): Promise<void> {
    return this.engine.execute((dialect, again) => insertJobs(dialect, jobs, again || wasTried), {
      purpose: 'enqueue jobs',
      atomic: (dialect) => takesTransaction(dialect, jobs),
    });
  }
}

/** Stores jobs with their trace, and reports the result to the instrumentation. */
async function sendTraced<Stored extends readonly EnqueuedJob[] | undefined>(
  instrumentation: Instrumentation,
  jobs: readonly NewJob[],
  store: (jobs: readonly NewJob[]) => Promise<Stored>,
): Promise<Stored> {
  const sending = instrumentation.send({
    queue: sharedValue(jobs, ({ queue }) => queue),
    name: sharedValue(jobs, ({ name }) => name),
    count: jobs.length,
  });
  const { trace } = sending;
  let storing: Promise<Stored> | undefined;
  sending.run(() => {
    storing = store(trace === undefined ? jobs : jobs.map((job) => ({ ...job, trace })));
  });
  try {
    const stored = (await storing) as Stored;
    const [only] = jobs;
    sending.succeeded(jobs.length === 1 && only ? (stored?.[0]?.id ?? uuidFromBytes(only.id)) : undefined);
    return stored;
  } catch (error) {
    sending.failed(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

function created({ id }: NewJob): EnqueuedJob {
  return { id: uuidFromBytes(id), created: true, replaced: false };
}
