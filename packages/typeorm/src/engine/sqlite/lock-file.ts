import type { SqliteDatabase } from './sqlite-database.js';

/** A lock between processes: an empty SQLite file that is used for its lock alone, and freed when its process dies. */
export class LockFile {
  private readonly file: SqliteDatabase;

  /**
   * @param database the application's database: the file is opened by the same driver.
   * @param suffix what the file's name adds to the database's.
   */
  constructor(database: SqliteDatabase, suffix: string) {
    const Database = database.constructor as new (path: string) => SqliteDatabase;
    this.file = new Database(`${database.name}${suffix}`);
  }

  get isHeld(): boolean {
    return this.file.inTransaction;
  }

  /** @throws SQLITE_BUSY when it is held exclusively for longer than `patience` ms. The wait stops the event loop. */
  share(patience: number): void {
    this.take('BEGIN; SELECT 1 FROM sqlite_master', patience);
  }

  /** @throws SQLITE_BUSY when it is held for longer than `patience` ms. The wait stops the event loop. */
  hold(patience: number): void {
    this.take('BEGIN EXCLUSIVE', patience);
  }

  release(): void {
    if (this.isHeld) {
      this.file.exec('ROLLBACK');
    }
  }

  close(): void {
    this.file.close();
  }

  private take(sql: string, patience: number): void {
    this.file.pragma(`busy_timeout = ${patience}`);
    try {
      this.file.exec(sql);
    } catch (error) {
      this.release();
      throw error;
    }
  }
}
