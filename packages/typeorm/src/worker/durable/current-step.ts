import { AsyncLocalStorage } from 'node:async_hooks';

import { NestedStepError } from '../../errors/index.js';

/** A step that runs. */
interface CurrentStep {
  readonly name: string;
  /** The run that it belongs to. */
  readonly run: object;
}

let storage: AsyncLocalStorage<CurrentStep> | undefined;

/** Runs the function of a step. */
export function withinStep<T>(run: object, name: string, work: () => T): T {
  // Made with the first step of the process: others must not pay for it.
  storage ??= new AsyncLocalStorage();
  return storage.run({ run, name }, work);
}

/** @throws NestedStepError for a durable call inside a step of the run. */
export function assertOutsideStep(method: string, run: object): void {
  const current = storage?.getStore();
  if (current?.run === run) {
    throw new NestedStepError(method, current.name);
  }
}
