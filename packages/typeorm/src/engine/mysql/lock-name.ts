import { type Fragment, sql } from '../sql.js';

/**
 * The name of a lock on the server: see `Dialect.lockName`. The server has one name space of 64 letters for all of its
 * databases; case counts on some servers only. Bytes, because names may hold letters that the name of a database
 * cannot. SHA2, because MySQL 9.7 has neither MD5 nor SHA1.
 */
export function lockName(scope: string, name: string): Fragment {
  return sql`CONCAT('tq-lock-', LEFT(SHA2(CONCAT_WS(
    CHAR(0), CAST(DATABASE() AS BINARY), CAST(${scope} AS BINARY), CAST(${name} AS BINARY)
  ), 256), 48))`;
}
