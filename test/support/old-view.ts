import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/**
 * Lets the next transactions of a connection work with an old view of the data, also where they lock rows that others
 * have changed in the meantime. MariaDB refuses this by default from 11.6.2 on.
 */
export async function allowOldView(runner: QueryRunner): Promise<void> {
  await setIsolation(runner, '0');
}

/** Undoes `allowOldView`, before the connection goes back to its pool. */
export async function restoreView(runner: QueryRunner): Promise<void> {
  await setIsolation(runner, 'DEFAULT');
}

/** Runs work in a transaction at REPEATABLE READ with `allowOldView`. */
export async function withOldView(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<void>,
): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await allowOldView(runner);
    await runner.manager.transaction('REPEATABLE READ', work);
  } finally {
    await restoreView(runner);
    await runner.release();
  }
}

async function setIsolation(runner: QueryRunner, value: string): Promise<void> {
  if (runner.connection.options.type === 'mariadb') {
    await runner.query(`SET SESSION innodb_snapshot_isolation = ${value}`);
  }
}
