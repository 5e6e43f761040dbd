export * from './duplicate-module.error.js';
export * from './missing-schedule-module.error.js';
export * from './unsupported-handler-method.error.js';
export * from './unsupported-handler-scope.error.js';
