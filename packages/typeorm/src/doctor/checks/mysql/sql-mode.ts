import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

const STRICT = ['STRICT_TRANS_TABLES', 'STRICT_ALL_TABLES'];

/** The SQL modes of the application's session that change the meaning of statements. */
export const sqlMode: Check<ExaminedServer> = {
  name: 'sql-mode',
  run({ variables }) {
    const text = variables.get('sql_mode') ?? '';
    const modes = text.split(',');
    if (modes.includes('NO_BACKSLASH_ESCAPES')) {
      return problem(
        'sql_mode has NO_BACKSLASH_ESCAPES',
        'mysql2 escapes with backslashes: payloads with quotes are stored incorrectly, or executed as SQL.',
        "SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, 'NO_BACKSLASH_ESCAPES', '');",
      );
    }
    if (!STRICT.some((mode) => modes.includes(mode))) {
      return warning(
        `sql_mode = '${text}', not strict`,
        'Values that are too long for a column are truncated without an error, also in your own tables.',
        "SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES');",
        'my.cnf: sql_mode = STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
      );
    }
    return ok('strict');
  },
};
