import { randomBytes } from 'node:crypto';

import { change, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

/**
 * Whether a worker's session has the settings that the worker requests, and can write. It stores a row of its own in
 * `tq_maintenance`, and deletes it in the same transaction.
 */
export const workerSession: Check<ExaminedServer> = {
  name: 'worker-session',
  async run({ engine, variables }) {
    const variable = variables.has('transaction_isolation') ? sql`transaction_isolation` : sql`tx_isolation`;
    try {
      await engine.open();
      const level = await engine.execute(
        function* ({ tables }) {
          const task = `doctor:${randomBytes(8).toString('hex')}`;
          yield* change(sql`INSERT INTO ${tables.maintenance} (task, next_run_at) VALUES (${task}, 0)`);
          yield* change(sql`DELETE FROM ${tables.maintenance} WHERE task = ${task}`);
          const [row] = yield* select<{ level: string }>(sql`SELECT @@SESSION.${variable} AS level`);
          return row?.level;
        },
        { purpose: 'write in the session of a worker', atomic: true },
      );
      return level === 'READ-COMMITTED'
        ? ok('workers can write, at READ-COMMITTED')
        : problem(
            `workers request READ-COMMITTED and get ${level}`,
            'At a higher level a claim that finds few jobs locks the gap after them, and blocks every enqueue.',
            'Configure the proxy in between to keep settings of SET SESSION.',
          );
    } catch (error) {
      const { message } = error as Error;
      return problem(message, 'Workers cannot claim jobs or store their outcome.');
    }
  },
};
