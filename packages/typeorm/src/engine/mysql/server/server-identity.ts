import { type Fragment, sql } from '../../sql.js';
import { isOlderMysql } from './server-version.js';

/** The session variable in which each connection of a worker keeps the identity of its server. */
export const SERVER_VARIABLE = sql`@tq_server`;

/**
 * A SELECT of one number that identifies a server and its present run: another server, or the same one after a restart,
 * has another number.
 *
 * UNIX_TIMESTAMP() and Uptime both count to the start of the statement, so their difference is the server's start time,
 * whatever its clock has done since. Every account may read it. MySQL and MariaDB have it in different tables, and each
 * reads the executable comments of the other as comments. MySQL before 5.7.6 has the table of MariaDB.
 *
 * @param version the server's version.
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
