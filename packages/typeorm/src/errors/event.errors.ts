import { inspect } from 'node:util';

import { brandError } from './brand-error.js';
import { seeDocs } from './see-docs.js';
import { TableQueueError } from './table-queue.error.js';

/** An event name has a wildcard, as those of in-process event emitters may have. */
export class WildcardEventError extends TableQueueError {
  static {
    brandError(this, 'WildcardEventError');
  }

  constructor(
    /** The name with the wildcard. */
    readonly event: unknown,
  ) {
    super(
      `The event ${inspect(event)} has a wildcard, but subscriptions are stored by the exact name of their event. ` +
        'Define each event with defineEvent, and subscribe to each.' +
        seeDocs('guides/publishing-events.md'),
    );
  }
}

/** A subscription has an option of `defineJob` that subscriptions do not have. */
export class SubscriptionOptionError extends TableQueueError {
  static {
    brandError(this, 'SubscriptionOptionError');
  }

  constructor(
    /** The name of the option. */
    readonly option: string,
  ) {
    super(
      `A subscription has no option "${option}": any process may store its job, also one without this code, which ` +
        'cannot call a function of the payload. Enqueue a job with this option in the handler of the subscription.' +
        seeDocs('guides/publishing-events.md'),
    );
  }
}

/** An event has no subscription with this name. */
export class UnknownSubscriptionError extends TableQueueError {
  static {
    brandError(this, 'UnknownSubscriptionError');
  }

  constructor(
    /** The name of the event. */
    readonly event: string,
    /** The name of the subscription. */
    readonly subscription: string,
  ) {
    super(
      `The event "${event}" has no subscription "${subscription}". Check the name, or start a worker with its handler, ` +
        'which registers it.' +
        seeDocs('guides/publishing-events.md'),
    );
  }
}
