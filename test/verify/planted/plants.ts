/** A fault of the queue: a change in one or two of its built files. */
export interface PlantedFault {
  /** Below `packages/typeorm/dist`. */
  readonly file: string;
  /** The original text. It must occur exactly once. */
  readonly is: string;
  /** The text that replaces it. */
  readonly becomes: string;
  /** A second change. */
  readonly also?: PlantedFault;
}

/** The faults that verify must find. The product does not contain them. */
export const PLANTED_FAULTS = {
  'no fence': {
    file: 'store/base/locks/fence.js',
    is: '(owner = ${owner} AND attempt = ${attempt} AND id IN',
    becomes: '(${owner} IS NOT NULL AND ${attempt} IS NOT NULL AND id IN',
  },
  'a notice before the commit': {
    file: 'queue/enqueue/enqueue-notifier.js',
    is: 'if (!isOpen(handle)) {',
    becomes: 'if (handle !== null) {',
  },
  'a low-water mark that never falls': {
    file: 'worker/claiming/backlog.js',
    is: 'this.lowWaterMark = this.addedSincePoll === 0 ? first : smaller(first, this.lowWaterMark);',
    becomes: 'this.lowWaterMark = smaller(first, this.lowWaterMark) === first ? this.lowWaterMark : first;',
  },
  'a reaper that ignores leases': {
    file: 'store/base/abandoned-lanes.js',
    is: 'worker.lease_until <= ${now} - ${milliseconds}',
    becomes: 'worker.lease_until <= ${now} + 3600000',
  },
  'a limit that is not counted': {
    file: 'store/claim/admission.js',
    is: 'Number(limits.concurrency) - (yield* countRunning(dialect, queue))',
    becomes: 'Number(limits.concurrency)',
  },
  'an effect outside of the transaction': {
    file: 'worker/running/transactional-attempt.js',
    is: 'attempt.manager = queryRunner.manager;',
    becomes: 'attempt.manager = queryRunner.dataSource.manager;',
  },
  'an enqueue outside of the transaction': {
    file: 'queue/table-queue.js',
    is: 'return this.enqueuer.one(definition, payload, jobOptions, handle);',
    becomes: 'return this.enqueuer.one(definition, payload, jobOptions, undefined);',
  },
  'unique keys that are not taken': {
    file: 'queue/enqueue/enqueue-options.js',
    is: "unique: unique && resolveUnique(unique, 'string', `${path}unique.`),",
    becomes: 'unique: undefined,',
  },
  'a connection that is not closed': {
    file: 'worker/table-queue-worker.js',
    is: 'Promise.all([lock?.close(patience), this.engine.close(patience)]);',
    becomes: 'Promise.all([lock?.close(patience)]);',
  },
  'a claim from the end of the queue': {
    file: 'store/claim/update-returning.js',
    is: 'ORDER BY position, id\n',
    becomes: 'ORDER BY position DESC, id DESC\n',
  },
  'a job that does not wait for the head of its order key': {
    file: 'store/base/jobs/initial-state.js',
    is: 'if (order !== null) {',
    becomes: 'if (order === undefined) {',
  },
  'a claim that does not count attempts': {
    file: 'store/claim/update-returning.js',
    is: 'attempt = attempt + 1,',
    becomes: 'attempt = 1,',
  },
  'a promoter that takes jobs before they are due': {
    file: 'store/base/order/lane.js',
    is: 'sql ` AND position <= ${now}`',
    becomes: 'sql.empty',
    also: {
      file: 'store/claim/promote-due-jobs.js',
      is: 'position <= ${dialect.now}',
      becomes: '1 = 1',
    },
  },
  'a failure that ends a job with attempts left': {
    file: 'worker/running/outcome-policy.js',
    is: 'failures >= retry.attempts',
    becomes: 'failures >= 1',
  },
  'a group that does not wait for its last member': {
    file: 'store/groups/find-due-groups.js',
    is: 'hasOpen: row.any_open !== null,',
    becomes: 'hasOpen: false,',
  },
  'an enqueue that is stored twice': {
    file: 'queue/enqueue/enqueuer.js',
    is: 'await this.insert(jobs, isRetry);',
    becomes:
      'await this.insert(jobs, isRetry);\nawait this.insert(jobs.map((job) => ({ ...job, id: Buffer.from(job.id).reverse() })));',
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
  'memory that is not released': {
    file: 'worker/running/job-executor.js',
    is: 'execute(job, attempt) {\n',
    becomes: 'execute(job, attempt) {\n(globalThis.kept ??= []).push(Array.from({ length: 125000 }, Math.random));\n',
  },
  'buffers that are not released': {
    file: 'worker/running/job-executor.js',
    is: 'execute(job, attempt) {\n',
    becomes: 'execute(job, attempt) {\n(globalThis.kept ??= []).push(Buffer.alloc(1000000, 1));\n',
  },
  'a worker that does not look for jobs it has forgotten': {
    file: 'worker/claiming/orphaned-jobs.js',
    is: 'if (this.dueIn > 0) {',
    becomes: 'if (this.dueIn >= 0) {',
  },
  'a maintenance task that trusts a time of a wrong clock': {
    file: 'store/workers/maintenance-leader.js',
    is: ' OR next_run_at > ${now} + ${2 * interval})',
    becomes: ')',
  },
  'a completion whose timeout counts as success': {
    file: 'worker/completing/completion-batcher.js',
    is: '(dialect) => finishJobs(dialect, jobs)',
    becomes:
      'function* (dialect) { try { return yield* finishJobs(dialect, jobs); } catch (error) {' +
      'if (dialect.isLockWaitTimeout(error)) return { finished: jobs, busy: [] }; throw error; } }',
  },
  'a step that is stored without the fence': {
    file: 'store/steps/record-steps.js',
    is: "AND job.owner = ${owner} AND job.attempt = ${attempt} AND job.state = 'running'",
    becomes: '',
  },
  'a fan-out that leaves out the first subscription': {
    file: 'store/events/fan-out.js',
    is: 'number > ${after}',
    becomes: 'number > ${after + 1}',
  },
  'a replay that leaves out the events that its subscription has had': {
    file: 'store/events/replay.js',
    is: '.filter(({ result }) => leftOut === null || ',
    becomes: '.filter(({ result }) => ',
  },
  'a subscription that does not get earlier events': {
    file: 'store/events/register-subscriptions.js',
    is: 'yield* insertJobs(dialect, replays);',
    becomes: '',
  },
  'a publish outside of the transaction': {
    file: 'queue/table-queue.js',
    is: 'this.enqueuer.one(event.job, payload, {}, handle);',
    becomes: 'this.enqueuer.one(event.job, payload, {}, undefined);',
  },
  'a rate that is not counted': {
    file: 'store/claim/admission.js',
    is: 'rate ? tokensAt(rate, ahead) : Infinity',
    becomes: 'Infinity',
  },
  'a rate of tenants that is not counted': {
    file: 'store/claim/tenant-rates.js',
    is: 'tokensAt(this.rate, this.ahead.get(tenant) ?? 0) <= (this.taken.get(tenant) ?? 0)',
    becomes: 'false',
  },
  'a claim of expired jobs': {
    file: 'store/base/jobs/claimed-job.js',
    is: 'return Number(expired) === 1;',
    becomes: 'return expired === false;',
  },
  'a maintenance task that believes in its row': {
    file: 'maintenance/maintenance-service.js',
    is: "if (state === 'missing') {",
    becomes: "if (state === 'missing' && process.uptime() < 6) {",
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;

/** The name of a planted fault. */
export type PlantedFaultName = keyof typeof PLANTED_FAULTS;
