import { change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { Check } from '../../check.js';
import { ok, problem } from '../../finding.js';

/** Whether this process can write the file and its folder. It stores nothing. */
export const writes: Check = {
  name: 'writes',
  async run({ engine }) {
    try {
      await engine.execute(({ tables }) => change(sql`DELETE FROM ${tables.maintenance} WHERE FALSE`), {
        purpose: 'write to the file',
        atomic: true,
      });
      return ok('the file is writable');
    } catch (error) {
      return problem(
        (error as Error).message,
        'Jobs cannot be enqueued, claimed or completed.',
        'Allow the account of this process to write the file and its folder, and end processes that lock the file.',
      );
    }
  },
};
