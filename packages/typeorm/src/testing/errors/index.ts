export * from './drain-failed.error.js';
export * from './endless-drain.error.js';
export * from './job-expectation.error.js';
export * from './testing-state.error.js';
export * from './unhandled-job.error.js';
