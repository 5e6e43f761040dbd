import { driverErrorNumber } from '../../../engine/mysql/mysql-errors.js';
import { CLAIMED_COLUMNS } from '../../../store/base/claimed-job.js';
import { lockFirstReady, queuesWithJobs } from '../../../store/base/lane.js';
import { LANE_HEAD } from '../../../store/base/sort-key.js';
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
  async run(server) {
    const { tables } = server.engine.dialect;
    let plan: readonly PlanRow[];
    try {
      plan = await explain(server);
    } catch (error) {
      if (driverErrorNumber(error) === NO_SUCH_INDEX) {
        const found = `the index ${tables.laneIndex} is missing`;
        return problem(found, 'Every claim fails.', 'See "tables" for the statement that creates it.');
      }
      throw error;
    }
    const [step] = plan;
    const extra = step?.Extra ?? '';
    const isAlongLane = step?.key === tables.laneIndex.sql.replaceAll('`', '');
    const found = `${step?.type} along ${step?.key ?? 'no index'}, ${step?.rows ?? '?'} rows estimated`;
    if (!isAlongLane || /filesort|temporary/i.test(extra)) {
      return problem(`${found}; ${extra}`, WHY, `ANALYZE TABLE ${tables.job};`);
    }
    return ok(found);
  },
};

async function explain({ engine, query }: ExaminedServer): Promise<PlanRow[]> {
  const look = { purpose: 'look for queues', readOnly: true };
  const [queue = DEFAULT_QUEUE] = await engine.execute(queuesWithJobs, look);
  const { sql, parameters } = lockFirstReady(engine.dialect, queue, LANE_HEAD, 10, CLAIMED_COLUMNS);
  // MySQL 9.7 explains in a tree unless told otherwise.
  return query<PlanRow>(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, parameters);
}
