/*
 * What the tests of this project use beside the public API. Not for applications: it changes without notice.
 */
export * from './proxy/index.js';
