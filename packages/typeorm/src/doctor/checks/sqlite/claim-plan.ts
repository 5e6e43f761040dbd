import { DEFAULT_QUEUE } from '../../../definition/job-definition.js';
import { sql } from '../../../engine/sql.js';
import { takeFirstReady } from '../../../store/claim/update-returning.js';
import type { Check } from '../../check.js';
import { ok, problem } from '../../finding.js';

/** The query plan of the statement that claims jobs. */
export const claimPlan: Check = {
  name: 'claim-plan',
  async run({ engine, query }) {
    const { tables } = engine.dialect;
    const claim = takeFirstReady(engine.dialect, { queue: DEFAULT_QUEUE, owner: 1, number: 1 }, 10);
    const plan = await query<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${claim}`);
    const steps = plan.map(({ detail }) => detail);
    const isAlongLane = steps.some((step) => step.includes(`INDEX ${tables.laneIndex.sql.replaceAll('"', '')} `));
    const isSorted = steps.some((step) => step.includes('TEMP B-TREE'));
    return isAlongLane && !isSorted
      ? ok(`along ${tables.laneIndex.sql.replaceAll('"', '')}, in its order`)
      : problem(
          steps.join('; '),
          'A claim reads all jobs, and locks the whole database meanwhile.',
          'Create the index that "tables" reports as missing, then run ANALYZE;',
        );
  },
};
