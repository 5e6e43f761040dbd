export * from './missing-schedule-module.error.js';
export * from './unsupported-handler-scope.error.js';
