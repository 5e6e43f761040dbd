import { uuidFromBytes } from '../../definition/job-id.js';
import type { UniqueKey } from '../../definition/unique-policy.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { DuplicateJobError } from '../../errors/index.js';
import { groupBy } from '../../group-by.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { hasExpired } from '../base/jobs/has-expired.js';
import { expires } from '../base/jobs/insert-expiries.js';
import { IS_QUEUED } from '../base/order/lane.js';
import { expireJobs } from '../base/jobs/expire-jobs.js';
import { insertJobs, notYetStored, splitForInserts } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { type Replacement, replaceWaiting } from './replace-waiting.js';
import { type HeldKey, findHeldKeys, freeTakenKeys, takeKeys } from '../base/keys/take-keys.js';
import { identityOf } from '../base/keys/unique-keys.js';

/** What `insertUniqueJobs` did with one job. */
export interface StoredJob {
  /** Its id, or where it was not created the id of the job that holds its key. */
  readonly id: Buffer;
  readonly created: boolean;
  /** Whether that other job got its payload and options. */
  readonly replaced: boolean;
}

/** The jobs with one key, in the order given. */
type JobsOfKey = readonly [UniqueJob, ...UniqueJob[]];
type UniqueJob = NewJob & { readonly unique: UniqueKey };

/** What to store and to replace. */
interface Plan {
  /** By the job given. */
  readonly results: Map<NewJob, StoredJob>;
  /** The jobs to store, by the job given. */
  readonly created: Map<NewJob, NewJob>;
  readonly replacements: Replacement[];
  readonly taken: HeldKey[];
}

/**
 * Stores jobs, some of them with a unique key: takes the keys, stores the jobs that got theirs, and makes the
 * replacements. Jobs that hold a key and have expired are ended first. Part of a transaction: the keys are locked until
 * it ends.
 *
 * Keys are taken in their order, so two enqueues cannot deadlock. When it fails in a caller's transaction it frees its
 * keys, because the caller may go on and commit. With `isRetry`, jobs that an earlier try has stored count as created.
 *
 * @returns the result of each job, in the order given.
 * @throws DuplicateJobError for the first job with `onConflict: 'throw'` whose key is held; then no job is stored.
 */
export function* insertUniqueJobs(dialect: Dialect, jobs: readonly NewJob[], isRetry = false): Operation<StoredJob[]> {
  const missing = isRetry ? yield* notYetStored(dialect, jobs) : jobs;
  // Before anything is changed: also a job that replaces another one must fit into a statement.
  splitForInserts(dialect, missing);
  const groups = groupByKey(missing);
  const wanted = groups.map(([{ id, name, unique }]) => ({ ...unique, name, jobId: id }));
  let keys = yield* takeKeys(dialect, wanted);
  if (yield* expireHolders(dialect, groups, keys)) {
    keys = yield* takeKeys(dialect, wanted);
  }
  const plan = planOf(missing, groups, keys);
  try {
    refuseDuplicates(missing, plan.results);
    const replaced = yield* replaceWaiting(dialect, plan.replacements);
    replaced.forEach(({ by }) => {
      plan.results.set(by, { ...(plan.results.get(by) as StoredJob), replaced: true });
    });
    yield* insertJobs(
      dialect,
      missing.flatMap((job) => plan.created.get(job) ?? []),
    );
  } catch (error) {
    yield* freeTakenKeys(dialect, plan.taken);
    throw error;
  }
  return jobs.map((job) => plan.results.get(job) ?? { id: job.id, created: true, replaced: false });
}

/**
 * Finds out whether other jobs hold all keys, so that nothing has to be stored or replaced. Locks nothing: a key that
 * is enqueued all the time must not block the claim and the completion of its job. Only outside the caller's
 * transactions.
 *
 * @returns the result of each job; undefined where it cannot be known without locks.
 * @throws DuplicateJobError for the first job with `onConflict: 'throw'` whose key is held.
 */
export function* findDuplicates(dialect: Dialect, jobs: readonly NewJob[]): Operation<StoredJob[] | undefined> {
  const wanted = jobs.flatMap(({ name, unique }) =>
    unique && unique.onConflict !== 'replace' ? [{ ...unique, name }] : [],
  );
  if (wanted.length < jobs.length) {
    return undefined;
  }
  const results = new Map<NewJob, StoredJob>();
  for (const [index, key] of (yield* findHeldKeys(dialect, wanted)).entries()) {
    if (key) {
      results.set(jobs[index] as NewJob, { id: key.jobId, created: false, replaced: false });
    }
  }
  const holders = jobs.filter(expires).flatMap((job) => results.get(job)?.id ?? []);
  if ((yield* findExpiredQueued(dialect, holders)).length > 0) {
    return undefined;
  }
  refuseDuplicates(jobs, results);
  return results.size === jobs.length ? [...results.values()] : undefined;
}

/**
 * Ends jobs that hold a key and have expired, so that the key is free. Only where the new job can expire, as the
 * others of its name usually have. A job that is replaced instead needs no end.
 *
 * @returns whether some have ended.
 */
function* expireHolders(dialect: Dialect, groups: readonly JobsOfKey[], keys: readonly HeldKey[]): Operation<boolean> {
  const holders = groups.flatMap(([first, ...others], index) => {
    const { jobId } = keys[index] as HeldKey;
    const keeps = [first, ...others].every(({ unique }) => unique.onConflict !== 'replace');
    return keeps && expires(first) && !jobId.equals(first.id) ? jobId : [];
  });
  let ended = 0;
  for (const ids of chunksOf(yield* findExpiredQueued(dialect, holders), MOST_IDS)) {
    ended += (yield* expireJobs(dialect, ids)).length;
  }
  return ended > 0;
}

/**
 * Finds jobs that have expired and have not ended, in key order. A plain read: a locking one would hold running jobs
 * until the caller's transaction at REPEATABLE READ ends. Index: the primary key.
 */
function* findExpiredQueued(dialect: Dialect, ids: readonly Buffer[]): Operation<Buffer[]> {
  const found: Buffer[] = [];
  for (const some of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select<{ id: Buffer }>(
      sql`SELECT id FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND ${IS_QUEUED} AND ${hasExpired(dialect)}`,
    );
    found.push(...rows.map(({ id }) => id));
  }
  return found.sort((a, b) => a.compare(b));
}

function groupByKey(jobs: readonly NewJob[]): JobsOfKey[] {
  const byKey = groupBy(jobs.filter(isUnique), ({ name, unique: { key } }) => identityOf({ name, key }));
  return [...byKey.values()];
}

function isUnique(job: NewJob): job is UniqueJob {
  return job.unique !== null;
}

/** @param keys the holder of the key of each group. */
function planOf(jobs: readonly NewJob[], groups: readonly JobsOfKey[], keys: readonly HeldKey[]): Plan {
  const plan: Plan = { results: new Map(), created: new Map(), replacements: [], taken: [] };
  jobs.filter(({ unique }) => unique === null).forEach((job) => plan.created.set(job, job));
  for (const [index, group] of groups.entries()) {
    const key = keys[index] as HeldKey;
    const [first, ...others] = group;
    const replacement = group.findLast(({ unique }) => unique.onConflict === 'replace');
    const isTaken = key.jobId.equals(first.id);
    for (const job of isTaken ? others : group) {
      // A job that is not stored yet is replaced before it is.
      const replaced = isTaken && job === replacement;
      plan.results.set(job, { id: key.jobId, created: false, replaced });
    }
    if (isTaken) {
      plan.taken.push(key);
      plan.created.set(first, replacement ? { ...replacement, id: first.id, unique: first.unique } : first);
    } else if (replacement && key.lasts !== 'window') {
      plan.replacements.push({ id: key.jobId, by: replacement });
    }
  }
  return plan;
}

function refuseDuplicates(jobs: readonly NewJob[], results: ReadonlyMap<NewJob, StoredJob>): void {
  for (const job of jobs) {
    const result = results.get(job);
    if (result && job.unique?.onConflict === 'throw') {
      throw new DuplicateJobError(job.name, job.unique.key, uuidFromBytes(result.id));
    }
  }
}
