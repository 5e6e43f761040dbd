import { randomBytes } from 'node:crypto';

import { change, select } from '../../../engine/operation.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

/**
 * Whether a worker's session is what the worker makes of it, and can write in it. It stores a row of its own in
 * `tq_maintenance` and deletes it in the same transaction.
 */
export const workerSession: Check<ExaminedServer> = {
  name: 'worker-session',
  async run({ engine, variables }) {
    const variable = variables.has('transaction_isolation') ? 'transaction_isolation' : 'tx_isolation';
    try {
      await engine.open();
      const level = await engine.execute(
        function* ({ tables }) {
          const task = `doctor:${randomBytes(8).toString('hex')}`;
          yield* change(`INSERT INTO ${tables.maintenance} (task, next_run_at) VALUES (?, 0)`, [task]);
          yield* change(`DELETE FROM ${tables.maintenance} WHERE task = ?`, [task]);
          const [row] = yield* select<{ level: string }>(`SELECT @@SESSION.${variable} AS level`);
          return row?.level;
        },
        { purpose: 'write in the session of a worker', atomic: true },
      );
      return level === 'READ-COMMITTED'
        ? ok('a worker can write, at READ-COMMITTED')
        : problem(
            `a worker asks for READ-COMMITTED and gets ${level}`,
            'At a higher level a claim that finds few jobs locks the gap behind them, and with it every enqueue.',
            'Let the proxy between keep what SET SESSION sets.',
          );
    } catch (error) {
      const { message } = error as Error;
      return problem(message, 'Workers cannot claim, nor write down what became of a job.');
    }
  },
};
