/**
 * What every session of the queue's own is set to, whatever the server's default or `init_connect` makes of it: statements
 * commit by themselves and nothing follows a COMMIT, none is refused for want of a key, cut to a number of rows, or ended
 * after a time of somebody's. The older of the two servers each have the last by another name, and take the comments of
 * the other for comments.
 */
export const WORKER_SESSION =
  "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES', autocommit = 1, completion_type = 0, " +
  'sql_safe_updates = 0, sql_select_limit = DEFAULT ' +
  '/*!50708 , max_execution_time = 0 */ /*M!100101 , max_statement_time = 0 */';
