export { MissingGuardError } from './missing-guard.error.js';
export { MissingPagesError } from './missing-pages.error.js';
export { UnknownDatabaseError } from './unknown-database.error.js';
