import { toError } from '../../errors/thrown.js';
import type { DurableRun } from './durable-run.js';

/** Calls the function of a step, inside a span if there is an instrumentation. */
export async function observeStep<Result>(
  { dependencies, context }: DurableRun,
  step: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { queue, name } = context.job;
  const stepping = dependencies.instrumentation?.step({ queue, name, jobId: context.attempt.id, step });
  if (stepping === undefined) {
    return work();
  }
  let working: Promise<Result> | undefined;
  stepping.run(() => {
    working = work();
  });
  try {
    const result = (await working) as Result;
    stepping.ended(undefined);
    return result;
  } catch (error) {
    stepping.ended(toError(error));
    throw error;
  }
}
