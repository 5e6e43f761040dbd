import type { QueryRunner } from 'typeorm';

import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { newJobId, uuidFromBytes } from '../../definition/job-id.js';
import { encodePayload } from '../../definition/payload-codec.js';
import type { Engine } from '../../engine/engine.js';
import type { Instrumentation } from '../../instrumentation/instrumentation.js';
import { assertKnownOptions, assertList } from '../../options.js';
import { insertJobs } from '../../store/enqueue/insert-jobs.js';
import type { NewJob } from '../../store/enqueue/new-job.js';
import { type EnqueueNotifier, noticeFor } from './enqueue-notifier.js';
import { BULK_JOB_OPTIONS, type JobOptions, resolveJobOptions } from './enqueue-options.js';
import type { EnqueuedJob } from './enqueued-job.js';
import { JobInserter } from './job-inserter.js';
import { PreparedJob } from './prepared-job.js';
import { sendJobs } from './send-jobs.js';
import { UniqueInserter } from './store-unique-jobs.js';

/** Makes jobs of payloads and stores them: in the caller's transaction, with others of the same moment, or unique. */
export class Enqueuer {
  private readonly inserter: JobInserter;
  private readonly uniqueInserter: UniqueInserter;

  /** @param maxPayloadBytes the largest payload, in bytes of JSON. */
  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly maxPayloadBytes: number,
    private readonly instrumentation: Instrumentation | undefined,
  ) {
    this.inserter = new JobInserter(engine);
    this.uniqueInserter = new UniqueInserter(engine, notifier);
  }

  /** @param queryRunner of the transaction the job is to be part of. */
  async one(
    definition: AnyJobDefinition,
    payload: unknown,
    options: JobOptions,
    queryRunner: QueryRunner | undefined,
  ): Promise<EnqueuedJob> {
    const job = await this.prepare(definition, payload, options);
    if (this.instrumentation === undefined) {
      return this.storeOne(job, queryRunner);
    }
    const [enqueued] = await this.send([job], async ([traced = job]) => [await this.storeOne(traced, queryRunner)]);
    return enqueued;
  }

  /** All or none; every payload and option is checked before the first is stored. */
  async many(
    definition: AnyJobDefinition,
    jobs: readonly (JobOptions & { readonly payload?: unknown })[],
    queryRunner: QueryRunner | undefined,
  ): Promise<EnqueuedJob[]> {
    assertList('jobs', jobs, 'a list of jobs');
    const prepared: NewJob[] = [];
    for (let index = 0; index < jobs.length; index++) {
      const job = jobs[index]!;
      const path = `jobs[${index}].`;
      assertKnownOptions(job, BULK_JOB_OPTIONS, path);
      const ready = this.prepare(definition, job.payload, job, path);
      prepared.push(ready instanceof Promise ? await ready : ready);
    }
    if (prepared.length === 0) {
      return [];
    }
    return this.send(prepared, (jobs) => this.storeMany(definition.queue, jobs, queryRunner));
  }

  /** Has jobs stored; they get their trace, where there is an instrumentation. */
  send<Stored extends readonly EnqueuedJob[] | undefined>(
    jobs: readonly NewJob[],
    store: (jobs: readonly NewJob[]) => Promise<Stored>,
  ): Promise<Stored> {
    return this.instrumentation ? sendJobs(this.instrumentation, jobs, store) : store(jobs);
  }

  /** @returns the job as it is to be stored; a promise of it where its payload has a schema. */
  prepare(definition: AnyJobDefinition, payload: unknown, options: JobOptions, path = ''): NewJob | Promise<NewJob> {
    assertJobDefinition('definition', definition);
    const resolved = resolveJobOptions(options, path);
    const id = newJobId();
    const text = encodePayload(definition, payload, this.maxPayloadBytes);
    return text instanceof Promise
      ? text.then((accepted) => new PreparedJob(id, definition, payload, accepted, resolved))
      : new PreparedJob(id, definition, payload, text, resolved);
  }

  private async storeOne(job: NewJob, queryRunner: QueryRunner | undefined): Promise<EnqueuedJob> {
    if (job.unique) {
      const [enqueued] = await this.uniqueInserter.insertAll([job], queryRunner);
      return enqueued as EnqueuedJob;
    }
    await this.store(job.queue, [job], queryRunner, () => this.inserter.insert(job));
    return created(job);
  }

  private async storeMany(
    queue: string,
    jobs: readonly NewJob[],
    queryRunner: QueryRunner | undefined,
  ): Promise<EnqueuedJob[]> {
    if (jobs.some(({ unique }) => unique)) {
      return this.uniqueInserter.insertAll(jobs, queryRunner);
    }
    await this.store(queue, jobs, queryRunner, () => this.inserter.insertAll(jobs));
    return jobs.map(created);
  }

  /**
   * Stores jobs of one queue and tells the workers of this process, when they are committed.
   *
   * @param outside stores them outside of every transaction of the caller's.
   */
  private async store(
    queue: string,
    jobs: readonly NewJob[],
    queryRunner: QueryRunner | undefined,
    outside: () => Promise<unknown>,
  ): Promise<unknown> {
    if (queryRunner) {
      await this.engine.executeOn(queryRunner, (dialect) => insertJobs(dialect, jobs), 'enqueue jobs');
      return this.notifier.notifyAfterCommit(queryRunner, noticeFor(queue, jobs));
    }
    await outside();
    return this.notifier.notify(noticeFor(queue, jobs));
  }
}

function created({ id }: NewJob): EnqueuedJob {
  return { id: uuidFromBytes(id), created: true, replaced: false };
}
