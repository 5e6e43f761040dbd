import type { StepKind } from '../../tables/step.js';

/** What a durable call does, and the name that it uses up. */
export interface DurableCall<T> {
  readonly method: string;
  readonly kind?: StepKind;
  readonly name?: () => string;
  /** Whether a worker that stops still lets it begin. Default: false. */
  readonly beforeReturn?: boolean;
  readonly body: () => Promise<T>;
}
