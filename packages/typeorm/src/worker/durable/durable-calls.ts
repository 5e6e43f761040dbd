import { assertStepName } from '../../definition/names.js';
import type { StepOptions } from '../handlers/durable-context.js';
import type { DurableRun } from './durable-run.js';
import { type StepFunction, runStep } from './run-step.js';
import { storeCursor } from './step-cursor.js';
import { resolveStepOptions } from './step-options.js';
import { decodeValue } from './step-value.js';
import { mustDecode, readStored } from './stored-text.js';
import { InvalidOptionError } from '../../errors/index.js';

export { run, runAll } from './children.js';
export { sleep, waitForAny, waitForSignal } from './waits.js';

/** The body of `job.step`. */
export function step(
  run: DurableRun,
  name: string,
  body: StepFunction,
  options: StepOptions & { readonly transactional?: boolean } = {},
): Promise<unknown> {
  assertStepName(name);
  if (typeof body !== 'function') {
    throw new InvalidOptionError('run', body, 'a function');
  }
  const resolved = resolveStepOptions(options, run.context.definition.retry);
  return run.call({ method: 'step', kind: 'step', name: () => name, body: () => runStep(run, name, body, resolved) });
}

const HANDLER = { kind: 'cursor', name: '' } as const;

/** The body of `job.cursor`. */
export function cursor(run: DurableRun): Promise<unknown> {
  return run.call({
    method: 'cursor',
    body: async () => {
      const stored = run.rows.find(HANDLER.kind, HANDLER.name)?.value ?? null;
      return mustDecode(stored) ? readStored(run, stored, 'step', 'cursor') : decodeValue(stored);
    },
  });
}

/** The body of `job.checkpoint`. */
export function checkpoint(run: DurableRun, value: unknown): Promise<void> {
  return run.call({
    method: 'checkpoint',
    beforeReturn: true,
    body: async () => {
      await run.cursors.store('', () => storeCursor(run, HANDLER, value, undefined));
      return run.mustReturn() ? run.suspend() : undefined;
    },
  });
}

/** The body of `job.hasStep`. */
export function hasStep(run: DurableRun, name: string): Promise<boolean> {
  assertStepName(name);
  return run.call({ method: 'hasStep', body: async () => run.rows.find('step', name)?.state === 'done' });
}
