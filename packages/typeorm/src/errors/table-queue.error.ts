/** The class every Tablequeue error extends: `error instanceof TableQueueError` tells ours from the driver's. */
export abstract class TableQueueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
