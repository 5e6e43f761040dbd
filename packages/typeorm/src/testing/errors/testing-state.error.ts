import { TableQueueError } from '../../errors/index.js';

/** The testing kit was asked for something its present state does not allow. */
export class TestingStateError extends TableQueueError {}
