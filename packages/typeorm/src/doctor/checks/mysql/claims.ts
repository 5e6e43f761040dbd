import { DEFAULT_QUEUE } from '../../../definition/job-definition.js';
import { driverErrorNumber } from '../../../engine/mysql/mysql-errors.js';
import { supportsSkipLocked } from '../../../engine/mysql/server/server-version.js';
import { sql } from '../../../engine/sql.js';
import { claimedColumns } from '../../../store/base/jobs/claimed-job.js';
import { lockFirstReady, queuesWithJobs } from '../../../store/base/order/lane.js';
import { LANE_HEAD } from '../../../store/base/order/sort-key.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

/** The claim strategy of workers. It tries SKIP LOCKED, as workers do when they start. */
export const claimStrategy: Check<ExaminedServer> = {
  name: 'claim-strategy',
  async run({ engine, version }) {
    if (await engine.skipsLocked()) {
      return ok('skip-locked: claims skip locked rows');
    }
    return warning(
      'compare-and-set',
      supportsSkipLocked(version.text)
        ? 'SKIP LOCKED does not skip the rows that other connections or nodes have locked: claims cost more.'
        : 'The server does not support SKIP LOCKED: claims cost more, and wait for locked rows.',
    );
  },
};

const WHY =
  'A claim that does not read along its index also locks jobs that it does not take, and other workers wait for them.';

/** ER_KEY_DOES_NOT_EXITS: the index in the hint does not exist. */
const NO_SUCH_INDEX = 1176;

interface PlanRow {
  readonly type: string | null;
  readonly key: string | null;
  readonly rows: number | string | null;
  readonly Extra: string | null;
}

/** The query plan of the statement that claims jobs. */
export const claimPlan: Check<ExaminedServer> = {
  name: 'claim-plan',
  async run(server) {
    const { tables } = server.engine.dialect;
    let plan: readonly PlanRow[];
    try {
      plan = await explain(server);
    } catch (error) {
      if (driverErrorNumber(error) === NO_SUCH_INDEX) {
        const found = `the index ${tables.laneIndex.sql} is missing`;
        return problem(found, 'Every claim fails.', 'Run the statement that "tables" reports.');
      }
      throw error;
    }
    const [step] = plan;
    const extra = step?.Extra ?? '';
    const isAlongLane = step?.key === tables.laneIndex.sql.replaceAll('`', '');
    const found = `${step?.type} along ${step?.key ?? 'no index'}, ${step?.rows ?? '?'} rows estimated`;
    if (!isAlongLane || /filesort|temporary/i.test(extra)) {
      return problem(`${found}; ${extra}`, WHY, `ANALYZE TABLE ${tables.job.sql};`);
    }
    return ok(found);
  },
};

async function explain({ engine, query }: ExaminedServer): Promise<PlanRow[]> {
  const options = { purpose: 'read the queues', readOnly: true };
  const [queue = DEFAULT_QUEUE] = await engine.execute(queuesWithJobs, options);
  const claim = lockFirstReady(engine.dialect, queue, LANE_HEAD, 10, claimedColumns(engine.dialect));
  // The default format of MySQL 9.7 is a tree.
  return query<PlanRow>(sql`EXPLAIN FORMAT=TRADITIONAL ${claim}`);
}
