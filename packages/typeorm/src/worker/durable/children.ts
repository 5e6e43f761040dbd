import { newChildSetId, uuidFromBytes } from '../../definition/job-id.js';
import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { assertStepName } from '../../definition/names.js';
import {
  ChildCancelledError,
  ChildExpiredError,
  ChildFailedError,
  InvalidOptionError,
  type StepCause,
  StepFailedError,
} from '../../errors/index.js';
import { assertKnownOptions, assertList } from '../../options.js';
import type { JobOptions } from '../../queue/enqueue/enqueue-options.js';
import { groupBy } from '../../group-by.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { StoredChildOutcome } from '../../store/base/steps/store-child-outcomes.js';
import type { NewChildren } from '../../store/steps/start-children.js';
import type { ChildrenResult } from '../../store/steps/take-children.js';
import type { ChildJob, ChildOutcome } from '../handlers/children.js';
import type { DurableRun } from './durable-run.js';
import type { KnownStep } from './run-rows.js';
import { type ReadChild, outcomesOf, storedOutcomesOf } from './child-outcomes.js';
import { answerWith } from './stored-text.js';

const JOB_OPTIONS = ['delay', 'runAt', 'expiresIn', 'priority', 'key', 'tenant'];

/** The body of `job.run`. */
export async function run(durable: DurableRun, name: string, child: ChildJob): Promise<unknown> {
  if (typeof child !== 'object' || child === null) {
    throw new InvalidOptionError('child', child, 'a child, made by child()');
  }
  const [ended] = await startAndWait(durable, { method: 'run', name, children: [child], mayFail: false });
  return resultOf(ended as ReadChild);
}

/** The body of `job.runAll`. */
export async function runAll(
  durable: DurableRun,
  name: string,
  children: readonly ChildJob[],
  options: { readonly outcomes?: boolean } = {},
): Promise<unknown[]> {
  assertList('children', children, 'a list of children, made by child()');
  assertKnownOptions(options, ['outcomes']);
  const ended = await startAndWait(durable, { method: 'runAll', name, children, mayFail: options.outcomes === true });
  return ended.map((each) => (options.outcomes ? each.outcome : resultOf(each)));
}

/** @throws ChildFailedError, ChildCancelledError, ChildExpiredError */
function resultOf({ outcome, hidesError }: ReadChild): unknown {
  const error = errorOf(outcome, hidesError);
  if (error) {
    throw error;
  }
  return outcome.state === 'succeeded' ? outcome.result : undefined;
}

function errorOf(
  outcome: ChildOutcome<unknown> | StoredChildOutcome,
  hidesError = false,
): ChildFailedError | ChildCancelledError | ChildExpiredError | undefined {
  switch (outcome.state) {
    case 'succeeded':
      return undefined;
    case 'failed':
      return new ChildFailedError(outcome.id, outcome.error, hidesError);
    case 'cancelled':
      return new ChildCancelledError(outcome.id);
    case 'expired':
      return new ChildExpiredError(outcome.id);
  }
}

interface ChildrenCall {
  readonly method: string;
  readonly name: string;
  readonly children: readonly ChildJob[];
  /** Whether the caller gets all outcomes. Otherwise a retry by hand starts children again that have not succeeded. */
  readonly mayFail: boolean;
}

function startAndWait(
  durable: DurableRun,
  { method, name, children, mayFail }: ChildrenCall,
): Promise<readonly ReadChild[]> {
  assertStepName(name);
  return durable.call({
    method,
    kind: 'child',
    name: () => name,
    body: async () => {
      const known = durable.rows.find('child', name);
      if (known === undefined) {
        return children.length === 0 ? recordNone(durable, name) : start(durable, name, children);
      }
      const { seq, value, error } = known.state === 'open' ? await take(durable, name, known, mayFail) : known;
      if (value === null) {
        const cause = (await answerWith(durable, seq, error, 'error', `error of "${name}"`)) as StepCause;
        throw new StepFailedError(name, 1, cause);
      }
      return outcomesOf(durable, seq, value);
    },
  });
}

async function recordNone(durable: DurableRun, name: string): Promise<readonly never[]> {
  await durable.answers.give(await durable.record({ kind: 'child', name, state: 'done', value: '[]' }));
  return [];
}

async function start(durable: DurableRun, name: string, children: readonly ChildJob[]): Promise<never> {
  const { job } = durable.context;
  const { enqueuer } = durable.dependencies;
  durable.rows.assertSpace('child', name);
  const set = newChildSetId();
  const store = async (jobs: readonly NewJob[]) => {
    const children: NewChildren = {
      wait: {
        job,
        kind: 'child',
        name,
        state: 'open',
        seq: durable.rows.nextSeq(),
        failures: 0,
        value: null,
        error: null,
        took: null,
        due: null,
        awaits: uuidFromBytes(set),
        needs: jobs.length,
      },
      set: {
        id: set,
        members: jobs.map(({ id }) => id),
        callbacks: { onSuccess: null, onFailure: null, onComplete: null },
        parent: job.id,
      },
      jobs,
    };
    await durable.change((recorder, assertMayWait) => recorder.startChildren(children, assertMayWait));
    return undefined;
  };
  // A payload may be checked for a while: the run must not end at another wait meanwhile.
  const jobs = await durable.busyWhile(async () => {
    const prepared: NewJob[] = [];
    for (const [index, child] of children.entries()) {
      prepared.push({ ...(await prepare(durable, child, `children[${index}].`)), groupId: set });
    }
    await enqueuer.send(prepared, store);
    return prepared;
  });
  const wait = { signals: [uuidFromBytes(set)], needs: jobs.length, due: undefined };
  for (const [queue, ofQueue] of groupBy(jobs, (each) => each.queue)) {
    void enqueuer.onStored(queue, ofQueue);
  }
  return durable.wait({ kind: 'child', name, ...wait });
}

/** @throws InvalidOptionError, and the errors of `Enqueuer.prepare`. */
async function prepare(durable: DurableRun, child: ChildJob, path: string): Promise<NewJob> {
  assertKnownOptions(child, ['definition', 'payload', ...JOB_OPTIONS], path);
  const { definition, payload, ...options } = child as JobOptions & { definition: AnyJobDefinition; payload: unknown };
  assertJobDefinition(`${path}definition`, definition);
  if (definition.unique) {
    throw new InvalidOptionError(
      `${path}definition`,
      definition.name,
      'one whose jobs are not unique: its parent waits for this job and no other',
    );
  }
  const job = await durable.dependencies.enqueuer.prepare(definition, payload, options, path);
  const { name, orderKey } = durable.context.job;
  if (job.order && job.name === name && job.order.key === orderKey) {
    throw new InvalidOptionError(
      `${path}payload`,
      payload,
      'one with another order key than its parent: they would wait for each other',
    );
  }
  return job;
}

async function take(
  durable: DurableRun,
  name: string,
  { awaits, needs = 1 }: KnownStep,
  mayFail: boolean,
): Promise<KnownStep> {
  const seq = durable.reserveSeq();
  const { maxResultBytes: maxBytes } = durable.dependencies.outcomes;
  // Within the transaction, so what the job may not store is not stored.
  const toRow = (result: ChildrenResult) => durable.rows.prepare({ kind: 'child', name, ...result }, seq);
  try {
    const request = {
      job: durable.context.job,
      name,
      set: awaits as string,
      children: needs,
      seq,
      maxBytes,
      toResult: (outcomes: readonly string[] | 'too long') => {
        const result = outcomes === 'too long' ? tooLong(maxBytes) : resultOfAll(outcomes, mayFail);
        toRow(result);
        return result;
      },
    };
    const answer = await durable.change((recorder, assertMayWait) => recorder.takeChildren(request, assertMayWait));
    if (answer !== 'none') {
      durable.rows.onStored(toRow(answer));
      return durable.rows.find('child', name) as KnownStep;
    }
  } catch (error) {
    durable.answers.release(seq);
    throw error;
  }
  durable.answers.release(seq);
  return durable.wait({ kind: 'child', name, signals: [awaits as string], needs, due: undefined });
}

function tooLong(maxBytes: number): ChildrenResult {
  const message = `Together the results of the children are longer than ${maxBytes} bytes. Let them store large ones.`;
  return { state: 'failed', value: null, error: JSON.stringify({ name: 'RangeError', message }) };
}

function resultOfAll(outcomes: readonly string[], mayFail: boolean): ChildrenResult {
  const value = `[${outcomes.join(',')}]`;
  const failure = mayFail
    ? undefined
    : storedOutcomesOf(value)
        .map((outcome) => errorOf(outcome))
        .find((error) => error !== undefined);
  return failure
    ? { state: 'failed', value, error: JSON.stringify({ name: failure.name, message: failure.message }) }
    : { state: 'done', value, error: null };
}
