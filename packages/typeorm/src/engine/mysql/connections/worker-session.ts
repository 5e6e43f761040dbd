import { sql } from '../../sql.js';

/**
 * The settings of every session of a worker, whatever the server's defaults and `init_connect` are. Texts are in
 * utf8mb4. Statements commit automatically and nothing follows a COMMIT. None is refused because it has no key or reads
 * many rows, cut to a number of rows, or ended after some time. The two servers name the last setting differently, and
 * each reads that of the other as a comment.
 */
export const WORKER_SESSION = sql`SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, SESSION time_zone = '+00:00',
  sql_mode = 'STRICT_TRANS_TABLES', autocommit = 1, completion_type = 0, sql_safe_updates = 0,
  sql_select_limit = DEFAULT, sql_big_selects = 1
  /*!50708 , max_execution_time = 0 */ /*M!100101 , max_statement_time = 0 */`;
