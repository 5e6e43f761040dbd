import { AsyncLocalStorage } from 'node:async_hooks';

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

/** Returns the name of the step of a run that makes this call; undefined outside of its steps. */
export function currentStepOf(run: object): string | undefined {
  const current = storage?.getStore();
  return current?.run === run ? current.name : undefined;
}
