import type { Codecs } from '../../codec/codecs.js';
import { assertJobId, uuidToBytes } from '../../definition/job-id.js';
import { assertKey } from '../../definition/names.js';
import { type Engine, type OperationFactory, executeIn, executeRead } from '../../engine/engine.js';
import { assertKnownOptions } from '../../options.js';
import { type JobSnapshot, findJobs, jobIdsOfKey } from '../../store/reports/find-jobs.js';
import { type StepSnapshot, listSteps } from '../../store/reports/list-steps.js';
import type { CallerTransaction, TransactionOptions } from '../enqueue/caller-transaction.js';
import { decodeJobs, decodeSteps } from './decode-jobs.js';

/** Finds a job by its id, in the caller's transaction if there is one. */
export async function findById(
  engine: Engine,
  codecs: Codecs,
  caller: CallerTransaction,
  id: string,
  transaction: TransactionOptions,
): Promise<JobSnapshot | undefined> {
  assertJobId(id);
  const bytes = uuidToBytes(id);
  const jobs = await read(engine, caller, transaction, (dialect) => findJobs(dialect, [bytes]));
  return (await decodeJobs(codecs, jobs))[0];
}

/** Finds the jobs with a key, in the caller's transaction if there is one. */
export async function findByKey(
  engine: Engine,
  codecs: Codecs,
  caller: CallerTransaction,
  key: string,
  transaction: TransactionOptions,
): Promise<JobSnapshot[]> {
  assertKey(key);
  const jobs = await read(engine, caller, transaction, function* (dialect) {
    return yield* findJobs(dialect, yield* jobIdsOfKey(dialect, key));
  });
  return decodeJobs(codecs, jobs);
}

/** Lists the steps of a job. */
export async function findStepsOf(
  engine: Engine,
  codecs: Codecs,
  id: string,
  options: { readonly results?: boolean },
): Promise<StepSnapshot[]> {
  assertJobId(id);
  assertKnownOptions(options, ['results']);
  const bytes = uuidToBytes(id);
  const results = options.results === true;
  return decodeSteps(codecs, await executeRead(engine, 'list steps', (dialect) => listSteps(dialect, bytes, results)));
}

function read<T>(
  engine: Engine,
  caller: CallerTransaction,
  transaction: TransactionOptions,
  factory: OperationFactory<T>,
): Promise<T> {
  return executeIn(engine, caller.find(transaction), factory, { purpose: 'find jobs', readOnly: true });
}
