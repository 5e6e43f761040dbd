/** A fault in the queue itself, as a change of one place in one of its built files, or of two. */
export interface Plant {
  /** Below `packages/typeorm/dist`. */
  readonly file: string;
  /** What stands there, once. */
  readonly is: string;
  /** What is to stand there instead. */
  readonly becomes: string;
  /** What has to change too. */
  readonly also?: Plant;
}

/** The faults that the bench has to find. Nothing in the product knows of them. */
export const PLANTS = {
  'no fence': {
    file: 'store/base/fence.js',
    is: '(owner = ${owner} AND attempt = ${attempt} AND id IN',
    becomes: '(${owner} IS NOT NULL AND ${attempt} IS NOT NULL AND id IN',
  },
  'a wake-up before the commit': {
    file: 'queue/bell.js',
    is: 'if (!queryRunner.isTransactionActive) {',
    becomes: 'if (queryRunner) {',
  },
  'a cursor without a second look': {
    file: 'worker/backlog.js',
    is: 'this.mark = this.addedSinceLook === 0 ? seen : first(seen, this.mark);',
    becomes: 'this.mark = first(seen, this.mark) === seen ? this.mark : seen;',
  },
  'a reaper that ignores leases': {
    file: 'store/workers/find-reaper-tasks.js',
    is: 'AND worker.lease_until > ${dialect.now}',
    becomes: 'AND worker.lease_until > ${dialect.now} + 3600000',
  },
  'a limit that is not counted': {
    file: 'store/claim/admission.js',
    is: 'Number(limits.concurrency) - (yield* countRunning(dialect, queue))',
    becomes: 'Number(limits.concurrency)',
  },
  'an effect outside of the transaction': {
    file: 'worker/transactional-runs.js',
    is: 'run.manager = queryRunner.manager;',
    becomes: 'run.manager = queryRunner.dataSource.manager;',
  },
  'an enqueue outside of the transaction': {
    file: 'queue/table-queue.js',
    is: 'return this.enqueuer.one(definition, payload, jobOptions, queryRunner);',
    becomes: 'return this.enqueuer.one(definition, payload, jobOptions, undefined);',
  },
  'unique keys that are not taken': {
    file: 'queue/enqueue-options.js',
    is: "unique: unique && resolveUnique(unique, 'string', `${path}unique.`),",
    becomes: 'unique: undefined,',
  },
  'a connection that is not closed': {
    file: 'worker/table-queue-worker.js',
    is: 'await this.lock?.close();\n        }\n        await this.engine.close();',
    becomes: 'await this.lock?.close();\n        }',
  },
  'a claim from the end of the queue': {
    file: 'store/claim/update-returning.js',
    is: 'ORDER BY position, id\n',
    becomes: 'ORDER BY position DESC, id DESC\n',
  },
  'a claim that counts no attempts': {
    file: 'store/claim/update-returning.js',
    is: 'attempt = attempt + 1, claimed_at',
    becomes: 'attempt = 1, claimed_at',
  },
  'a promoter that takes what is not due': {
    file: 'store/base/lane.js',
    is: 'sql ` AND position <= ${now}`',
    becomes: 'sql.empty',
    also: {
      file: 'store/claim/promote-due-jobs.js',
      is: 'heads WHERE position <= ${now}`',
      becomes: 'heads`',
    },
  },
  'a failure that ends a job with attempts left': {
    file: 'worker/outcome-rules.js',
    is: 'failures >= retry.attempts',
    becomes: 'failures >= 1',
  },
  'a group that does not wait for its last member': {
    file: 'store/groups/find-due-groups.js',
    is: 'hasOpen: row.any_open !== null,',
    becomes: 'hasOpen: false,',
  },
  'an enqueue that is stored twice': {
    file: 'queue/job-inserter.js',
    is: 'await this.insertAll(jobs, again);',
    becomes:
      'await this.insertAll(jobs, again);\nawait this.insertAll(jobs.map((job) => ({ ...job, id: Buffer.from(job.id).reverse() })));',
  },
  'an enqueue that waits': {
    file: 'async/batcher.js',
    is: 'this.schedule(() => {',
    becomes: '((write) => setTimeout(write, 6000))(() => {',
  },
  'a timer that is not cleared': {
    file: 'maintenance/ticker.js',
    is: 'clearInterval(this.timer);',
    becomes: '',
  },
  'memory that is not given back': {
    file: 'worker/job-runner.js',
    is: 'run(job, run) {\n',
    becomes: 'run(job, run) {\n(globalThis.kept ??= []).push(Array.from({ length: 125000 }, Math.random));\n',
  },
  'buffers that are not given back': {
    file: 'worker/job-runner.js',
    is: 'run(job, run) {\n',
    becomes: 'run(job, run) {\n(globalThis.kept ??= []).push(Buffer.alloc(1000000, 1));\n',
  },
} as const satisfies Readonly<Record<string, Plant>>;

/** The name of one of them. */
export type PlantName = keyof typeof PLANTS;
