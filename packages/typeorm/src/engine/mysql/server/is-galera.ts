import type { QueryRunner } from 'typeorm';

import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';

/** Whether the server is a node of a Galera cluster, whose other nodes may accept writes too. */
export async function isGalera(queryRunner: QueryRunner): Promise<boolean> {
  const [variable] = await queryOn<{ Value: string }>(queryRunner, sql`SHOW GLOBAL VARIABLES LIKE 'wsrep_on'`);
  return variable?.Value === 'ON';
}
