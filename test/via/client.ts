import type { ClientTransaction } from '@tablequeue/typeorm';

import type { TestDatabase } from '../support/database.js';

/** An open transaction of a client. */
export interface ClientScope {
  /** Makes the value of `via`. */
  readonly via: () => ClientTransaction;
  /** Runs a statement without values in the transaction. */
  readonly run: (sql: string) => Promise<unknown>;
}

/** Another client than TypeORM, connected to a database of a test. */
export interface Client {
  /** Runs work in a transaction. It is rolled back if the work throws. */
  transaction<T>(work: (scope: ClientScope) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How a client is tested. */
export interface ClientSuite {
  /** Its name in errors. */
  readonly name: string;
  /** For the titles of tests. Default: the name. */
  readonly title?: string;
  connect(database: TestDatabase): Promise<Client> | Client;
  /** Whether it reports the end of a transaction, so that the local worker starts at once. */
  readonly reportsEnd: boolean;
}
