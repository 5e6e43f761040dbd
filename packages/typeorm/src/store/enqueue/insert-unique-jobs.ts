import { uuidFromBytes } from '../../definition/job-id.js';
import type { UniqueKey } from '../../definition/unique-policy.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Operation } from '../../engine/operation.js';
import { DuplicateJobError } from '../../errors/index.js';
import { groupBy } from '../../group-by.js';
import { insertJobs, notYetStored } from './insert-jobs.js';
import type { NewJob } from './new-job.js';
import { type Replacement, replaceWaiting } from './replace-waiting.js';
import { type TakenKey, findTakenKeys, giveBackKeys, takeKeys } from './take-keys.js';
import { identityOf } from '../base/unique-keys.js';

/** What became of one job that was to be stored. */
export interface StoredJob {
  /** Its id; where it was not created, that of the job that has its key. */
  readonly id: Buffer;
  readonly created: boolean;
  /** Whether that other job has its payload and options now. */
  readonly replaced: boolean;
}

/** Jobs with one key, in the order they were given in. */
type Rivals = readonly [UniqueJob, ...UniqueJob[]];
type UniqueJob = NewJob & { readonly unique: UniqueKey };

/** What is to be done. */
interface Plan {
  /** By the job that was given. */
  readonly results: Map<NewJob, StoredJob>;
  /** What is to be stored, by the job that was given. */
  readonly created: Map<NewJob, NewJob>;
  readonly replacements: Replacement[];
  /** The keys that were taken for what is to be stored. */
  readonly taken: TakenKey[];
}

/**
 * Stores jobs of which some have a unique key: takes their keys, then stores those that got theirs and replaces what is
 * to be replaced. Part of a transaction: the locks of the keys, and so what was found out about them, last until it ends.
 *
 * Keys are taken in their order, whatever the order of the jobs: two enqueues of many never wait in a circle. What fails
 * in a caller's transaction leaves no key without its job, for the caller may go on and commit. When it is run `again`
 * after a broken connection, what an earlier try has stored counts as created.
 *
 * @returns what became of each, in the order given.
 * @throws DuplicateJobError for the first that has to be the only one and is not; then none is stored.
 */
export function* insertUniqueJobs(dialect: Dialect, jobs: readonly NewJob[], again = false): Operation<StoredJob[]> {
  const missing = again ? yield* notYetStored(dialect, jobs) : jobs;
  const rivals = rivalsAmong(missing);
  const keys = yield* takeKeys(
    dialect,
    rivals.map(([{ id, name, unique }]) => ({ ...unique, name, jobId: id })),
  );
  const plan = planOf(missing, rivals, keys);
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
    yield* giveBackKeys(dialect, plan.taken);
    throw error;
  }
  return jobs.map((job) => plan.results.get(job) ?? { id: job.id, created: true, replaced: false });
}

/**
 * Looks whether nothing is to be stored or replaced, because others have all keys. Locks nothing, so that a key that is
 * wanted all the time does not keep its job from being claimed and finished. Only outside the caller's transactions:
 * whatever was committed before is seen, by this look and by the job that has the key and has not ended.
 *
 * @returns what became of the jobs; undefined where that is not known without locks.
 * @throws DuplicateJobError for the first that has to be the only one and is not.
 */
export function* lookForRivals(dialect: Dialect, jobs: readonly NewJob[]): Operation<StoredJob[] | undefined> {
  const wanted = jobs.flatMap(({ name, unique }) =>
    unique && unique.onConflict !== 'replace' ? [{ ...unique, name }] : [],
  );
  if (wanted.length < jobs.length) {
    return undefined;
  }
  const results = new Map<NewJob, StoredJob>();
  for (const [index, key] of (yield* findTakenKeys(dialect, wanted)).entries()) {
    if (key) {
      results.set(jobs[index] as NewJob, { id: key.jobId, created: false, replaced: false });
    }
  }
  refuseDuplicates(jobs, results);
  return results.size === jobs.length ? [...results.values()] : undefined;
}

function rivalsAmong(jobs: readonly NewJob[]): Rivals[] {
  const byKey = groupBy(jobs.filter(isUnique), ({ name, unique: { key } }) => identityOf({ name, key }));
  return [...byKey.values()];
}

function isUnique(job: NewJob): job is UniqueJob {
  return job.unique !== null;
}

/** @param keys who has the key of each of the rivals. */
function planOf(jobs: readonly NewJob[], rivals: readonly Rivals[], keys: readonly TakenKey[]): Plan {
  const plan: Plan = { results: new Map(), created: new Map(), replacements: [], taken: [] };
  jobs.filter(({ unique }) => unique === null).forEach((job) => plan.created.set(job, job));
  for (const [index, group] of rivals.entries()) {
    const key = keys[index] as TakenKey;
    const [first, ...others] = group;
    const replacement = group.findLast(({ unique }) => unique.onConflict === 'replace');
    const isOurs = key.jobId.equals(first.id);
    for (const job of isOurs ? others : group) {
      // What is not stored yet is replaced before it is.
      const replaced = isOurs && job === replacement;
      plan.results.set(job, { id: key.jobId, created: false, replaced });
    }
    if (isOurs) {
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
