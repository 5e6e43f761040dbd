import type { QueryRunner } from 'typeorm';

const runners = new WeakSet<QueryRunner>();

/** Marks a transaction that the queue starts on the application's data source. */
export function markOwnTransaction(queryRunner: QueryRunner): void {
  runners.add(queryRunner);
}

/** Whether the queue has started the transaction of a query runner. */
export function isOwnTransaction(queryRunner: QueryRunner): boolean {
  return runners.has(queryRunner);
}
