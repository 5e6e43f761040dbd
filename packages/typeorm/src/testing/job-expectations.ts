import { LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { assertKnownOptions, optionalTime } from '../options.js';
import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import { TRANSACTION_OPTIONS, type TransactionOptions, pickTransaction } from '../queue/enqueue/caller-transaction.js';
import type { TableQueue } from '../queue/table-queue.js';
import type { JobSnapshot } from '../store/reports/find-jobs.js';
import { decodeJobs } from '../queue/jobs/decode-jobs.js';
import { findJobsByName } from '../store/reports/find-jobs-by-name.js';
import { WakeUp } from '../async/wake-up.js';
import { describeJobs, describeMatch } from './describe-jobs.js';
import { JobExpectationError } from './errors/index.js';
import { type AnyJobMatch, type AnyJobWait, MATCH_OPTIONS, mismatchesOf } from './job-match.js';

/** How often to poll for a job that another process may enqueue, in ms. */
const POLL_INTERVAL = 50;

/** Finds jobs for the expectations of a test. */
export class JobExpectations {
  constructor(private readonly queue: TableQueue) {}

  /** Returns the jobs of a name, or of all names, that match, oldest first. */
  async find(name: string | undefined, match: AnyJobMatch): Promise<JobSnapshot[]> {
    assertMatch(match);
    const jobs = await this.read(name, match);
    return jobs.filter((job) => mismatchesOf(job, match).length === 0);
  }

  /** @throws JobExpectationError */
  async expectOne(name: string, match: AnyJobMatch): Promise<JobSnapshot> {
    const [job] = await this.find(name, match);
    return job ?? this.fail(`Expected ${describeMatch(name, match)} to have been enqueued.`, name, match);
  }

  /** @throws JobExpectationError */
  async expectNone(name: string | undefined, match: AnyJobMatch): Promise<void> {
    const jobs = await this.find(name, match);
    if (jobs.length > 0) {
      throw new JobExpectationError(
        `Expected that ${describeMatch(name, match)} was not enqueued.\n${describeJobs(jobs, name, match)}`,
      );
    }
  }

  /** @throws JobExpectationError, and the errors of `TableQueue.waitFor`. */
  async waitForOne(name: string, { timeout = '1m', signal, ...match }: AnyJobWait): Promise<JobSnapshot> {
    const milliseconds = toMilliseconds('timeout', timeout, 1, LONGEST_TIMER);
    const until = performance.now() + milliseconds;
    const job = await this.waitUntilEnqueued(name, match, until, signal);
    if (!job) {
      return this.fail(
        `Waited ${milliseconds} ms for ${describeMatch(name, match)}, which was not enqueued.`,
        name,
        match,
      );
    }
    const remaining = Math.max(1, until - performance.now());
    await this.queue.waitFor(job.id, { timeout: remaining, ...(signal && { signal }) });
    return (await this.queue.find(job.id)) ?? job;
  }

  private async waitUntilEnqueued(
    name: string,
    match: AnyJobMatch,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<JobSnapshot | undefined> {
    const wakeUp = new WakeUp();
    const stopListening = EnqueueNotifier.of(this.queue.dataSource).listen(() => wakeUp.wake());
    try {
      for (;;) {
        signal?.throwIfAborted();
        const [job] = await this.find(name, match);
        const left = until - performance.now();
        if (job || left <= 0) {
          return job;
        }
        await wakeUp.sleep(Math.min(left, POLL_INTERVAL));
      }
    } finally {
      stopListening();
    }
  }

  private async fail(expectation: string, name: string, match: AnyJobMatch): Promise<never> {
    const all = await this.read(undefined, match);
    throw new JobExpectationError(`${expectation}\n${describeJobs(all, name, match)}`);
  }

  private async read(name: string | undefined, match: TransactionOptions): Promise<JobSnapshot[]> {
    const { engine, caller, codecs } = this.queue;
    const transaction = caller.find(pickTransaction(match));
    const purpose = 'find the jobs of a test';
    const find = (dialect: Parameters<typeof findJobsByName>[0]) => findJobsByName(dialect, name ?? null);
    const jobs = await (transaction
      ? engine.executeOn(transaction, find, purpose)
      : engine.execute(find, { purpose, readOnly: true }));
    return decodeJobs(codecs, jobs);
  }
}

/** @throws InvalidOptionError, UnknownOptionError */
function assertMatch(match: AnyJobMatch): void {
  assertKnownOptions(match, [...MATCH_OPTIONS, ...TRANSACTION_OPTIONS]);
  const { runAt, delay } = match;
  optionalTime('runAt', runAt);
  if (delay !== undefined) {
    toMilliseconds('delay', delay);
  }
}
