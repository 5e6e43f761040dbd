import type { DataSourceOptions } from 'typeorm';

/** The options of every command that select the database. */
export interface TargetOptions {
  readonly url?: string;
  readonly dataSource?: string;
  readonly prefix?: string;
}

/** The selected database. */
export interface Target {
  /** How to connect, including the driver. */
  readonly options: DataSourceOptions;
  /** Its name in the output, without the password. */
  readonly name: string;
  /** The prefix of the tables, if it is known. */
  readonly prefix: string | undefined;
  /** Whether its type is the scheme of a URL, often `mysql:` for both servers. */
  readonly isOfUrl?: boolean;
  /** Whether it is a file that does not exist yet. */
  readonly isAbsent?: boolean;
  /** Closes the data source if its module has opened it. */
  release(): Promise<void>;
}
