/**
 * How long a unique key stays taken: until its job is first claimed, until it has finished, or until its window ends.
 */
export const UNIQUE_SPANS = ['queued', 'unfinished', 'window'] as const;

export type UniqueSpan = (typeof UNIQUE_SPANS)[number];
