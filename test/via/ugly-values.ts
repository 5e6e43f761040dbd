/** Payloads with what drivers and clients treat specially in texts. */
export const UGLY: readonly unknown[] = [
  `'"\\\`; DROP TABLE tq_job; --`,
  '? ?? :name @x $1 ${y} %s \\? #{z}',
  '\\u0000 \n\r\t\b\u001a\u2028',
  '\u{1F600} \u{10FFFF} Ä ß 漢 \u202E',
  {
    nested: [{ date: '2026-02-29T00:00:00.000Z' }, null, true, -0.5, 1e300, Number.MAX_SAFE_INTEGER],
    '?': '??',
    ':a': ':b',
  },
  ["x'41'", '0x41', 'NULL', '{"$param": 1}', ''],
  null,
  '',
  0,
  false,
  'a'.repeat(100_000),
];
