export { TableQueueTestingModule, type TableQueueTestingOptions } from './table-queue-testing.module.js';
export { testingQueue } from './testing-queue.provider.js';
export { type TestingOverrides, withTestingQueue } from './with-testing-queue.helper.js';
