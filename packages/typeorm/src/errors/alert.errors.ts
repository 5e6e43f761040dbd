import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** The error of a job that could not send an alert to a webhook. The job is retried. */
export class AlertNotSentError extends TableQueueError {
  static {
    brandError(this, 'AlertNotSentError');
  }

  /** @param reason without the address of the webhook, which can contain a secret. */
  constructor(
    /** The name of the webhook in the options. */
    readonly webhook: string,
    reason: string,
  ) {
    super(
      `The alert was not sent to the webhook "${webhook}": ${reason}. Check its address and its receiver.` +
        seeDocs('guides/alerting.md'),
    );
  }
}
