/** A number; where counting gave up it is capped: there are that many, or more. */
export interface Count {
  readonly count: number;
  readonly isCapped: boolean;
}

/** Of a job that has not ended. */
export type LiveState = 'waiting' | 'scheduled' | 'ready' | 'running';
/** Of a job that has ended. */
export type FinalState = 'succeeded' | 'failed' | 'cancelled';
export type JobState = LiveState | FinalState;
