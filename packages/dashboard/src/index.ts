export type * from './contract/index.js';
export type { DashboardJob, DashboardOptions } from './dashboard-options.js';
export type { DashboardExtras, DashboardGuard } from './dashboard-extras.js';
export { DashboardModule } from './dashboard.module.js';
export * from './errors/index.js';
