/** The clock of the queue is the database's. Only the testing clock shifts it, for one process. */
export interface DatabaseClock {
  /** How far the queue's time is ahead of the database's, in ms. */
  readonly shift: number;
}

/** The database's clock as it is. */
export const databaseClock: DatabaseClock = Object.freeze({ shift: 0 });
