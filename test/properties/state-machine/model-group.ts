import type { FinalState } from './final-state.js';

/** The jobs that may wait for a group. */
export const CALLBACKS = ['onSuccess', 'onFailure', 'onComplete'] as const;
export type Callback = (typeof CALLBACKS)[number];

/** A group as docs/guides/groups.md describes it. */
export interface ModelGroup {
  readonly id: string;
  /** How each member has ended, by its id; a retried job is no member any more, and its outcome stays. */
  readonly members: Map<string, 'open' | FinalState>;
  /** The ids of the jobs that wait for it. */
  readonly callbacks: Readonly<Partial<Record<Callback, string>>>;
  isFailureKnown: boolean;
  finishedAt: number | undefined;
}
