import { TableQueueError } from '../../errors/index.js';

/** What a test has expected of the enqueued jobs is not so. Its text shows what was enqueued. */
export class JobExpectationError extends TableQueueError {}
