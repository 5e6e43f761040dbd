export * from './handler.errors.js';
export * from './module.errors.js';
export * from './role.errors.js';
