import { type Fragment, sql } from '../sql.js';
import type { SqliteDatabase } from './sqlite-database.js';

/** A lock between processes: an empty SQLite file. It is freed when its process dies. */
export class LockFile {
  private readonly file: SqliteDatabase;

  /**
   * @param database the application's database; the file is opened with the same driver.
   * @param suffix is added to the name of the database's file.
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
    this.take(sql`BEGIN; SELECT 1 FROM sqlite_master`, patience);
  }

  /** @throws SQLITE_BUSY when it is held for longer than `patience` ms. The wait stops the event loop. */
  hold(patience: number): void {
    this.take(sql`BEGIN EXCLUSIVE`, patience);
  }

  release(): void {
    if (this.isHeld) {
      this.file.exec(sql`ROLLBACK`.sql);
    }
  }

  close(): void {
    this.file.close();
  }

  private take(statement: Fragment, patience: number): void {
    this.file.pragma(sql`busy_timeout = ${sql.integer(patience)}`.sql);
    try {
      this.file.exec(statement.sql);
    } catch (error) {
      this.release();
      throw error;
    }
  }
}
