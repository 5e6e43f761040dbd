/*
 * What the pages and the REST API say to one another. Times are ms since 1970 by the database's clock, durations ms, ids
 * UUIDs as text. What may be absent is null, so that every field is always there.
 */
export type * from './audit.js';
export type * from './counts.js';
export type * from './doctor.js';
export type * from './jobs.js';
export type * from './me.js';
export type * from './overview.js';
export type * from './problems.js';
export type * from './schedules.js';
export type * from './series.js';
export type * from './workers.js';
