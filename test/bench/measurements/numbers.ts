const DIGITS =
  '(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';

/** How many rows one statement makes at most. */
export const PER_STATEMENT = 100_000;

/** A table of the numbers `n` from 0 to 99,999, from which the server generates rows. */
export const NUMBERS = `(SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d AS n
  FROM ${['a', 'b', 'c', 'd', 'e'].map((name) => `${DIGITS} ${name}`).join(' CROSS JOIN ')}) numbers`;
