/**
 * The clock of the queue is the database's. A shift moves it for one process: the testing clock drives it, nothing
 * else does.
 */
export interface DatabaseClock {
  /** How far the queue's time is ahead of the database's, in ms. */
  readonly shift: number;
}

/** The database's clock as it is. */
export const databaseClock: DatabaseClock = Object.freeze({ shift: 0 });
