/** How a job has ended. */
export type Ended = 'succeeded' | 'failed' | 'cancelled';
