/** What is stored in one table. */
export interface TableVitals {
  readonly rows: number;
  /** The pages that it has, with its indexes, in bytes. */
  readonly used: number | undefined;
  /** Its file, in bytes; undefined where it has none of its own. */
  readonly bytes: number | undefined;
}

/** The figures of a database. Undefined where there is no way to query them. */
export interface DatabaseVitals {
  /** By name, the queue's. */
  readonly tables: Readonly<Record<string, TableVitals>>;
  /** How many jobs are not finished. */
  readonly liveJobs: number;
  /** Connections to the database that is worked in. */
  readonly connections: number | undefined;
  /** What purge has not come to yet: InnoDB's history list, in transactions. */
  readonly unpurged: number | undefined;
  /** What old versions of rows take of the disk, in bytes: undo tablespaces, or the write-ahead log. */
  readonly old: number;
  /** Of the server's process: CPU time in ms, and memory in bytes. */
  readonly server: { readonly cpu: number; readonly memory: number } | undefined;
}

/** Queries the state of a database, from outside of the soaked application. */
export interface DatabaseObserver {
  readonly version: string;
  observe(): Promise<DatabaseVitals>;
  close(): Promise<void>;
}
