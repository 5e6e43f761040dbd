import type { Snapshots } from '../dialect.js';
import { sql } from '../sql.js';
import { isAccessDenied, isNoText } from './mysql-errors.js';

/**
 * Transactions at READ COMMITTED are left out: their snapshots end with each statement. The server reports the start in
 * its own time zone, whatever that of the session is, and by its own clock, not by that of a test.
 */
export const mysqlSnapshots: Snapshots = {
  oldest: sql`
    SELECT TIMESTAMPDIFF(MICROSECOND, CONVERT_TZ(trx_started, 'SYSTEM', '+00:00'), UTC_TIMESTAMP(6)) DIV 1000 AS age,
           trx_mysql_thread_id AS thread, trx_rows_modified AS changed
    FROM information_schema.innodb_trx
    WHERE trx_isolation_level NOT IN ('READ COMMITTED', 'READ UNCOMMITTED')
    ORDER BY trx_started LIMIT 1`,
  isHidden: (error) => isAccessDenied(error) || isNoText(error),
};
