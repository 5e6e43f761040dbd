/**
 * The variable in which each connection of the queue's own keeps what identifies the server. A connection does not
 * outlive the server it leads to, so what it was told at its beginning is true for as long as it lasts.
 */
export const SERVER_VARIABLE = '@tq_server';

/**
 * A SELECT of one number that stands for a server and for one run of it: another server, or the same one started again,
 * has another number. Null where the server does not tell.
 *
 * UNIX_TIMESTAMP() and Uptime both count from the start of the statement, so their difference is exactly the time the
 * server keeps of its start, whatever its clock has done since. Everybody may read it; MySQL and MariaDB have it in
 * tables of different names, and each takes the comments of the other for comments.
 */
export const SERVER_IDENTITY = `
  SELECT CAST(CONV(LEFT(SHA2(CONCAT_WS('/',
    @@hostname, @@port, /*!80000 @@server_uuid, */ UNIX_TIMESTAMP() - VARIABLE_VALUE
  ), 256), 12), 16, 10) AS UNSIGNED)
  FROM /*!80000 performance_schema.global_status */ /*M! information_schema.GLOBAL_STATUS */
  WHERE VARIABLE_NAME = 'Uptime'`;
