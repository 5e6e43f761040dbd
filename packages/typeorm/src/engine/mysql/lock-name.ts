/**
 * The name of a lock on the server, in SQL, of two parameters: see `Dialect.lockName`. The server has one name space for
 * all of its databases, of 64 letters; whether their case counts differs between servers. Of the functions that make a
 * long name short, MySQL 9.7 has neither MD5 nor SHA1 any more.
 */
export const LOCK_NAME = "CONCAT('tq-lock-', LEFT(SHA2(CONCAT_WS(CHAR(0), DATABASE(), ?, ?), 256), 48))";
