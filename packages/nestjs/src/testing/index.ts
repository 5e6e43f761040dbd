export { TableQueueTestingModule, type TableQueueTestingOptions } from './table-queue-testing.module.js';
export { type TestingOverrides, testingQueue, withTestingQueue } from './testing-queue.helpers.js';
