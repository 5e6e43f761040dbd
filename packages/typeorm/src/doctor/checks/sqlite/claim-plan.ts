import { DEFAULT_QUEUE } from '../../../definition/job-definition.js';
import { takeFirstReady } from '../../../store/claim/update-returning.js';
import type { Check } from '../../check.js';
import { ok, problem } from '../../finding.js';

/** How SQLite would run the very statement that claims. */
export const claimPlan: Check = {
  name: 'claim-plan',
  async run({ engine, query }) {
    const { tables } = engine.dialect;
    const { sql, parameters } = takeFirstReady(engine.dialect, { queue: DEFAULT_QUEUE, owner: 1, number: 1 }, 10);
    const plan = await query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    const steps = plan.map(({ detail }) => detail);
    const isAlongLane = steps.some((step) => step.includes(`INDEX ${tables.laneIndex.sql.replaceAll('"', '')} `));
    const isSorted = steps.some((step) => step.includes('TEMP B-TREE'));
    return isAlongLane && !isSorted
      ? ok(`along ${tables.laneIndex.sql.replaceAll('"', '')}, in its order`)
      : problem(
          steps.join('; '),
          'A claim reads all jobs, and keeps the whole database locked meanwhile.',
          'See "tables" for what is missing; ANALYZE;',
        );
  },
};
