import type { JobDetail } from '../../contract.js';
import { Link, graphPath, jobPath } from '../../components/link.js';

interface JobTabsProps {
  readonly id: string;
  readonly current: 'details' | 'graph';
}

/** Leads from the page of a job to its graph, and back. */
export const JobTabs = ({ id, current }: JobTabsProps) => (
  <nav class="tabs" aria-label="Views of the job">
    <ul>
      <li>
        <Link to={jobPath(id)} isCurrent={current === 'details'}>
          Details
        </Link>
      </li>
      <li>
        <Link to={graphPath(id)} isCurrent={current === 'graph'}>
          Graph
        </Link>
      </li>
    </ul>
  </nav>
);

/** Whether anything depends on the job, or the job on anything. */
export const hasGraph = ({ steps, parent, waitsFor, followedBy }: JobDetail): boolean =>
  steps.length > 0 || parent !== null || waitsFor !== null || followedBy.length > 0;
