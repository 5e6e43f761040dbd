import type { Ground } from './subject-plan.js';

/** What each step of the bench returns: 100 bytes of JSON. */
export const STEP_RESULT = 'x'.repeat(98);

/** A library with durable steps, as the bench drives it. It lives in a process of its own. */
export interface StepsSubject {
  /** Creates what it needs and removes what an earlier run has left. */
  reset(): Promise<void>;
  /**
   * Runs jobs whose steps run one after another. Each step returns `STEP_RESULT`, which is stored.
   *
   * @param atATime how many jobs run at a time.
   */
  runSteps(jobs: number, steps: number, atATime: number): Promise<void>;
  /** Disconnects. */
  close(): Promise<void>;
}

/** What a subject's module exports. */
export interface StepsModule {
  /** @param url where its server is. */
  openSteps(url: string, ground: Ground): Promise<StepsSubject>;
}
