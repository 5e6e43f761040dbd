export * from './connection-failed.error.js';
export * from './missing-driver.error.js';
export * from './no-tables.error.js';
export * from './usage.error.js';
