import { TableQueueError } from './table-queue.error.js';

const UNSEEN =
  ' It was not seen either: it does not exist, its transaction has not committed, or it had ended before with nothing kept.';

/** A job that was waited for has not ended in time. It goes on as if nobody had waited. */
export class WaitTimeoutError extends TableQueueError {
  constructor(
    /** The id of the job. */
    readonly id: string,
    /** How long it was waited for, in ms. */
    readonly timeout: number,
    /** Whether it was seen at all. */
    readonly wasSeen: boolean,
    /** Why nothing was seen of it last, where the database could not be asked. */
    cause?: unknown,
  ) {
    super(`Job ${id} has not ended within ${timeout} ms.${wasSeen ? '' : UNSEEN}`, { cause });
  }
}
