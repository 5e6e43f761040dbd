import type { QueryRunner } from 'typeorm';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';

/** A transaction of this process that has come to its end. */
export interface TimedTransaction {
  readonly statements: readonly string[];
  /** From its START TRANSACTION to the answer to its COMMIT, in ms. */
  readonly duration: number;
}

/** Calls a listener for each transaction that this process commits on MySQL or MariaDB from now on. */
export function onTransaction(listener: (transaction: TimedTransaction) => void): void {
  const open = new WeakMap<QueryRunner, { since: number; statements: string[] }>();
  // eslint-disable-next-line typescript/unbound-method
  const original = MysqlQueryRunner.prototype.query;
  MysqlQueryRunner.prototype.query = async function (this: MysqlQueryRunner, ...args: Parameters<typeof original>) {
    const [sql] = args;
    if (sql === 'START TRANSACTION') {
      open.set(this, { since: performance.now(), statements: [] });
    }
    const transaction = open.get(this);
    transaction?.statements.push(sql);
    const result: unknown = await original.apply(this, args);
    if (sql === 'COMMIT' && transaction) {
      open.delete(this);
      listener({ statements: transaction.statements, duration: performance.now() - transaction.since });
    }
    return result;
  } as typeof original;
}

/** Whether a transaction has claimed jobs. */
export function isClaim({ statements }: TimedTransaction): boolean {
  return statements.some((sql) => sql.includes('SKIP LOCKED')) && statements.some((sql) => sql.includes("= 'running'"));
}
