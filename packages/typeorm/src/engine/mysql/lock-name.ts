/**
 * The name of a lock on the server, in SQL, of two parameters: see `Dialect.lockName`. The server has one name space for
 * all of its databases, of 64 letters; whether their case counts differs between servers. Bytes, because names may hold
 * letters that the name of a database cannot. Of the functions that make a long name short, MySQL 9.7 has neither MD5 nor
 * SHA1 any more.
 */
export const LOCK_NAME = `CONCAT('tq-lock-', LEFT(SHA2(CONCAT_WS(
  CHAR(0), CAST(DATABASE() AS BINARY), CAST(? AS BINARY), CAST(? AS BINARY)
), 256), 48))`;
