import { driverErrorNumber } from '../../../engine/mysql/mysql-errors.js';
import { CLAIMED_COLUMNS } from '../../../store/claimed-job.js';
import { lockFirstReady, queuesWithJobs } from '../../../store/lane.js';
import { LANE_HEAD } from '../../../store/place.js';
import { DEFAULT_QUEUE } from '../../../definition/job-definition.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem } from '../../finding.js';

const WHY = 'A claim that does not walk along its index locks jobs it does not take, of every worker.';

/** "Key '…' doesn't exist in table": the index that the statement names. */
const NO_SUCH_INDEX = 1176;

interface PlanRow {
  readonly type: string | null;
  readonly key: string | null;
  readonly rows: number | string | null;
  readonly Extra: string | null;
}

/** How the server would run the very statement that claims. */
export const claimPlan: Check<ExaminedServer> = {
  name: 'claim-plan',
  async run({ engine, query }) {
    const { dialect } = engine;
    const [queue = DEFAULT_QUEUE] = await engine.execute(queuesWithJobs, {
      purpose: 'look for queues',
      readOnly: true,
    });
    const { sql, parameters } = lockFirstReady(dialect, queue, LANE_HEAD, 10, CLAIMED_COLUMNS);
    let plan: PlanRow[];
    try {
      plan = await query<PlanRow>(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, parameters);
    } catch (error) {
      if (driverErrorNumber(error) === NO_SUCH_INDEX) {
        return problem(
          `the index ${dialect.tables.laneIndex} is missing: claims fail`,
          'Nothing can be claimed.',
          'See "tables" for the statement.',
        );
      }
      throw error;
    }
    const [step] = plan;
    const extra = step?.Extra ?? '';
    const isAlongLane = step?.key === dialect.tables.laneIndex.replaceAll('`', '');
    const found = `${step?.type} along ${step?.key ?? 'no index'}, ${step?.rows ?? '?'} rows estimated`;
    if (!isAlongLane || /filesort|temporary/i.test(extra)) {
      return problem(`${found}; ${extra}`, WHY, `ANALYZE TABLE ${dialect.tables.job};`);
    }
    return ok(found);
  },
};
