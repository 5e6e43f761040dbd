import type { StepKind, StepState } from '../../../tables/step.js';
import type { Fence } from '../jobs/claimed-job.js';

/** When a row is due: so many ms from now, or at a time in ms, both by the database's clock. */
export type Due = { readonly delay: number } | { readonly at: number };

/** A row of `tq_step` to store for a running job. */
export interface StepRow {
  readonly job: Fence;
  readonly kind: StepKind;
  readonly name: string;
  readonly state: StepState;
  readonly seq: number;
  readonly failures: number;
  /** JSON text. */
  readonly value: string | null;
  /** JSON text. */
  readonly error: string | null;
  /** In ms. */
  readonly took: number | null;
}

/** A row of a job that waits. */
export interface WaitRow extends StepRow {
  readonly due: Due | null;
  /** The signal it waits for. */
  readonly awaits: string | null;
  /** How many such signals it needs. Default: 1. */
  readonly needs?: number;
}

/** How many bytes a row takes beside its texts, at most. */
export const STEP_BYTES = 400;
