import type { QueryRunner } from 'typeorm';

/** Whether the server is a node of a Galera cluster, of which others may take writes too. */
export async function isGalera(queryRunner: QueryRunner): Promise<boolean> {
  const rows = (await queryRunner.query("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")) as { Value: string }[];
  return rows[0]?.Value === 'ON';
}
