/*
 * The requests and responses of the REST API. Each schema validates requests, describes the API in OpenAPI, and gives
 * the TypeScript type of the same name. Times are in ms since 1970 by the clock of the database, durations in ms, and
 * ids are UUIDs as text. A value that is absent is null, so every field is always there.
 */
export * from './actions.js';
export * from './bulk.js';
export * from './counts.js';
export * from './events.js';
export * from './failures.js';
export * from './graph.js';
export * from './jobs.js';
export * from './overview.js';
export * from './problems.js';
export * from './reports.js';
