import { brandError, errorNameOf } from './brand-error.js';

/** The base class of all Tablequeue errors: `error instanceof TableQueueError`. */
export abstract class TableQueueError extends Error {
  static {
    brandError(this, 'TableQueueError');
  }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = errorNameOf(new.target);
  }
}
