export { TableQueueHealthIndicator, type TableQueueHealthOptions } from './table-queue-health.indicator.js';
