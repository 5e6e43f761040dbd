import type { QueryRunner } from 'typeorm';

const runners = new WeakSet<QueryRunner>();

/** Tells apart the transactions that the queue begins on the application's data source for itself. */
export function markOwnTransaction(queryRunner: QueryRunner): void {
  runners.add(queryRunner);
}

/** Whether a query runner was taken by the queue, for a transaction of its own. */
export function isOwnTransaction(queryRunner: QueryRunner): boolean {
  return runners.has(queryRunner);
}
