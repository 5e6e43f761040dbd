/** The state of a job that has ended. */
export type FinalState = 'succeeded' | 'failed' | 'cancelled';
