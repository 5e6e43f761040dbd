import { change } from '../../../engine/operation.js';
import type { Check } from '../../check.js';
import { ok, problem } from '../../finding.js';

/** Whether the file can be written, which takes its folder too. It stores nothing. */
export const writes: Check = {
  name: 'writes',
  async run({ engine }) {
    try {
      await engine.execute(({ tables }) => change(`DELETE FROM ${tables.maintenance} WHERE FALSE`), {
        purpose: 'write to the file',
        atomic: true,
      });
      return ok('the file can be written');
    } catch (error) {
      return problem(
        (error as Error).message,
        'Nothing can be enqueued, claimed or finished.',
        'Give the account of this process the right to write the file and its folder, and end who has it locked.',
      );
    }
  },
};
