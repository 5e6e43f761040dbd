export type { DrainedJob, DrainedOutcome } from './drained-job.js';
export * from './errors/index.js';
export { type InMemoryDatabase, type TestEntity, inMemoryDatabase } from './in-memory-database.js';
export type { AsymmetricMatcher, JobMatch, JobWait, PayloadPart, TestingJob } from './job-match.js';
export { TestingClock, type TestingClockOptions } from './testing-clock.js';
export { type DrainOptions, TestingQueue } from './testing-queue.js';
