import { DuplicateStepError, UnrepeatedStepError } from '../../errors/index.js';
import type { StepKind } from '../../tables/step.js';
import { type RunRows, keyOf } from './run-rows.js';

/** The names that the durable calls of one attempt have used. */
export class UsedNames {
  private readonly keys = new Set<string>();

  /** @throws DuplicateStepError */
  add(kind: StepKind, name: string): void {
    const key = keyOf(kind, name);
    if (this.keys.has(key)) {
      throw new DuplicateStepError(name);
    }
    this.keys.add(key);
  }

  /** @throws UnrepeatedStepError for a stored step that was not called. */
  assertAllOf(rows: RunRows): void {
    const step = rows.findUnused(this.keys);
    if (step !== undefined) {
      throw new UnrepeatedStepError(step);
    }
  }
}
