import mysql from 'mysql2';

type Callback = (...answer: unknown[]) => void;
/** The driver's own method, as TypeORM and Tablequeue call it. */
type Query = (
  this: object,
  statement: string | { readonly sql: string },
  values: unknown,
  callback: Callback,
) => unknown;

/** A transaction of this process that has come to its end. */
export interface TimedTransaction {
  readonly statements: readonly string[];
  /** From its START TRANSACTION to the answer to its COMMIT, in ms. */
  readonly duration: number;
}

/**
 * Calls a listener for each transaction that this process commits on MySQL or MariaDB from now on. It listens at the
 * driver: the worker's statements do not pass through a query runner.
 */
export function onTransaction(listener: (transaction: TimedTransaction) => void): void {
  const open = new WeakMap<object, { since: number; statements: string[] }>();
  const { prototype } = mysql.Connection as unknown as { prototype: { query: Query } };
  const original = prototype.query;
  prototype.query = function (statement, values, callback) {
    const sql = typeof statement === 'string' ? statement : statement.sql;
    if (sql === 'START TRANSACTION') {
      open.set(this, { since: performance.now(), statements: [] });
    }
    const transaction = open.get(this);
    transaction?.statements.push(sql);
    return original.call(this, statement, values, (...answer) => {
      const [error] = answer;
      if (sql === 'COMMIT' && transaction && !error) {
        open.delete(this);
        listener({ statements: transaction.statements, duration: performance.now() - transaction.since });
      }
      callback(...answer);
    });
  };
}

/** Whether a transaction has claimed jobs. */
export function isClaim({ statements }: TimedTransaction): boolean {
  return statements.some((sql) => sql.includes('SKIP LOCKED')) && statements.some((sql) => sql.includes("= 'running'"));
}
