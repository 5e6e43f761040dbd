import { executeRead, findGraph, uuidToBytes } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import { JobGraph } from '../../contract/index.js';
import { JOB_ID, JOB_PROBLEMS } from './job-detail.js';
import { toGraph } from './to-graph.js';

export const showGraph = route({
  name: 'showGraph',
  method: 'GET',
  path: 'jobs/:id/graph',
  summary: 'A job with its steps, and the groups, callbacks, parents and children around it, as a graph',
  params: JOB_ID,
  response: JobGraph,
  problems: JOB_PROBLEMS,
  run: async ({ database: { queue, reads }, params: { id } }) => {
    const graph = await reads.getOrRead(['graph', id], () =>
      executeRead(queue.engine, 'find the graph of a job', (dialect) => findGraph(dialect, uuidToBytes(id))),
    );
    if (!graph) {
      throw new ApiProblem('not-found', `There is no job ${id}: it never existed, or it was pruned.`, 'id');
    }
    return toGraph(graph);
  },
});
