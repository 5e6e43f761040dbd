import { sql } from '../../../engine/sql.js';
import { PROCEDURE_COMMENT } from '../../../migrations/procedure/enqueue-procedure.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

/** Whether the procedure `tq_enqueue` has the version of this release, if it exists. */
export const enqueueProcedure: Check<ExaminedServer> = {
  name: 'enqueue-procedure',
  async run({ engine, query }) {
    const table = engine.dialect.tables.job.sql.split('.').at(-1)?.replaceAll('`', '') ?? '';
    const name = table.replace(/job$/, 'enqueue');
    const [row] = await query<{ version: string; is_current: number | string }>(
      sql`SELECT ROUTINE_COMMENT AS version, ROUTINE_COMMENT = ${PROCEDURE_COMMENT} AS is_current
          FROM information_schema.ROUTINES
          WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_NAME = ${name} AND ROUTINE_TYPE = 'PROCEDURE'`,
    );
    if (!row) {
      return ok(`${name} does not exist, or the account has no privilege on it`);
    }
    if (Number(row.is_current) === 1) {
      return ok(`${name} has the version of this release`);
    }
    return problem(
      `${name} is of another version: "${row.version}"`,
      'It can store rows that this version does not expect, or fail.',
      'Call createEnqueueProcedure in a migration of your own.',
    );
  },
};
