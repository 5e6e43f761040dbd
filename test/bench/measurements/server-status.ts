import type { DataSource } from 'typeorm';

/** How many statements the server has got since its start. Reading it is one too. */
export function statementsOf(dataSource: DataSource): Promise<number> {
  return statusOf(dataSource, 'Questions');
}

/** How many connections the server has. */
export function connectionsOf(dataSource: DataSource): Promise<number> {
  return statusOf(dataSource, 'Threads_connected');
}

async function statusOf(dataSource: DataSource, name: string): Promise<number> {
  const [row] = (await dataSource.query(`SHOW GLOBAL STATUS LIKE '${name}'`)) as { Value: string }[];
  return Number(row?.Value);
}
