/** The base class of all Tablequeue errors: `error instanceof TableQueueError`. */
export abstract class TableQueueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
