export * from './duplicate-module.error.js';
export * from './duplicate-schedule.error.js';
export * from './missing-data-source.error.js';
export * from './missing-module.error.js';
export * from './missing-queue-handler.error.js';
export * from './missing-schedule-module.error.js';
export * from './unsupported-handler-method.error.js';
export * from './unsupported-handler-scope.error.js';
