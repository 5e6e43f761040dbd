import { useQuery } from '@tanstack/preact-query';

import { useGraph } from '../../api/graph.js';
import { StateBadge } from '../../components/badge.js';
import { Link, jobPath } from '../../components/link.js';
import { Load } from '../../components/load.js';
import { Page } from '../../components/page.js';
import { JobTabs } from '../job/job-tabs.js';

/** The steps, groups, callbacks, parents and children around a job. */
export function GraphPage({ id }: { readonly id: string }) {
  const graph = useGraph(id);
  const view = useGraphView();
  const job = graph.data?.job;
  return (
    <Page
      title={job?.name ?? 'Job'}
      tab={job ? `Graph of ${job.name}, ${job.state}` : 'Graph'}
      before={
        <Link to={jobPath(id)} class="crumb">
          Job {id.slice(-6)}
        </Link>
      }
      beside={job && <StateBadge state={job.state} />}
    >
      <JobTabs id={id} current="graph" />
      <Load from={graph} lines={8}>
        {(data) => (
          <Load from={view} lines={8}>
            {({ GraphView }) => <GraphView graph={data} />}
          </Load>
        )}
      </Load>
    </Page>
  );
}

/** Loads the layout when a graph is shown for the first time: other pages do not need it. */
const useGraphView = () =>
  useQuery({
    queryKey: ['graph-view'],
    queryFn: () => import('./graph-view.js'),
    staleTime: Infinity,
    gcTime: Infinity,
    // A module is no JSON.
    structuralSharing: false,
  });
