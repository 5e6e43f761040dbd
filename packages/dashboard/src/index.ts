/** @internal The tests read responses with these types. Applications have the OpenAPI document. */
export type * from './contract/index.js';
export type { Role } from './contract/reports.js';
export type { DashboardJob, DashboardOptions } from './options/dashboard.options.js';
export type { DashboardExtras, DashboardGuard } from './options/dashboard.extras.js';
export { DashboardModule } from './dashboard.module.js';
export * from './errors.js';
