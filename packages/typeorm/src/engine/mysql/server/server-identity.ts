import { type Fragment, sql } from '../../sql.js';
import { isOlderMysql } from './server-version.js';

/**
 * The variable in which each connection of the queue's own keeps what identifies the server. A connection does not
 * outlive the server it leads to, so what it was told at its beginning is true for as long as it lasts.
 */
export const SERVER_VARIABLE = sql`@tq_server`;

/**
 * A SELECT of one number that stands for a server and for one run of it: another server, or the same one started again,
 * has another number. Null where the server does not tell.
 *
 * UNIX_TIMESTAMP() and Uptime both count from the start of the statement, so their difference is exactly the time the
 * server keeps of its start, whatever its clock has done since. Everybody may read it; MySQL and MariaDB have it in
 * tables of different names, and each takes the comments of the other for comments. MySQL before 5.7.6 has it where
 * MariaDB has it.
 *
 * @param version that of the server.
 */
export function serverIdentity(version: string | undefined): Fragment {
  const [uuid, status] = isOlderMysql(version)
    ? [sql`@@server_uuid,`, sql`information_schema.GLOBAL_STATUS`]
    : [
        sql`/*!50706 @@server_uuid, */`,
        sql`/*!50706 performance_schema.global_status */ /*M! information_schema.GLOBAL_STATUS */`,
      ];
  return sql`
    SELECT CAST(CONV(LEFT(SHA2(CONCAT_WS('/',
      @@hostname, @@port, ${uuid} UNIX_TIMESTAMP() - VARIABLE_VALUE
    ), 256), 12), 16, 10) AS UNSIGNED)
    FROM ${status}
    WHERE VARIABLE_NAME = 'Uptime'`;
}
