import { TableQueueError } from '../../errors/index.js';

/** A job came in a drain that this process cannot run: it has no handler, or one that is too old for the payload. */
export class UnhandledJobError extends TableQueueError {}
