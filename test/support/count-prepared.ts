import type { DataSource } from 'typeorm';

/**
 * How often the server had to prepare, execute or close a statement, on the connection that the pool lends next: the
 * one it lent last.
 */
export async function countPrepared(dataSource: DataSource, command: 'prepare' | 'execute' | 'close'): Promise<number> {
  const [row] = await dataSource.query<{ Value: string }[]>(`SHOW SESSION STATUS LIKE 'Com_stmt_${command}'`);
  return Number(row?.Value);
}
