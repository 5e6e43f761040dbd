import { type GraphGroup, type JobGraph as FoundGraph, groupBy } from '@tablequeue/typeorm/internal';

import type { GraphEdge, GraphNode, JobGraph } from '../../contract/index.js';

/** Nodes, and the edges between them and others. */
type Subgraph = Pick<JobGraph, 'nodes' | 'edges'>;
type Members = GraphGroup['others'][number];

const NONE = { job: null, group: null, names: [], step: null, outcome: null, isExact: true, count: null } as const;
const CALLBACKS = [
  ['success', 'onSuccess'],
  ['failure', 'onFailure'],
  ['completion', 'onComplete'],
] as const;

const jobNode = (id: string): string => `job ${id}`;
const groupNode = (id: string): string => `group ${id}`;
const stepNode = (kind: string, name: string): string => `step ${kind} ${name}`;
const toEdge = (from: string, to: string, kind: GraphEdge['kind']): GraphEdge => ({ from, to, kind });
const exactly = (count: number) => ({ count, isCapped: false });

/** Converts a graph of jobs, steps and groups to nodes and edges. */
export function toGraph(graph: FoundGraph): JobGraph {
  const { job, jobs, groups, isCut } = graph;
  const subgraphs = [stepsOf(graph), ...groups.map((group) => groupOf(group, graph))];
  const nodes = [
    ...jobs.map(({ id, name, state }): GraphNode => {
      return { ...NONE, id: jobNode(id), kind: 'job', job: id, names: [name], state };
    }),
    ...subgraphs.flatMap((each) => each.nodes),
  ];
  const known = new Set(nodes.map(({ id }) => id));
  // Some jobs were pruned.
  const isKnown = ({ from, to }: GraphEdge): boolean => known.has(from) && known.has(to);
  const edges = subgraphs.flatMap((each) => each.edges).filter(isKnown);
  return { job: { id: job.id, name: job.name, state: job.state }, nodes, edges, isCut };
}

/** The steps of the job, one after another. */
function stepsOf({ job: { id: job }, steps, earlierSteps }: FoundGraph): Subgraph {
  const nodes = steps.map(({ name, kind, state }): GraphNode => {
    return { ...NONE, id: stepNode(kind, name), kind: 'step', job, names: [name], step: kind, state };
  });
  if (earlierSteps > 0) {
    nodes.unshift({ ...NONE, id: 'earlier', kind: 'earlier-steps', job, state: null, count: exactly(earlierSteps) });
  }
  const path = [jobNode(job), ...nodes.map(({ id }) => id)];
  return { nodes, edges: path.slice(1).map((to, index) => toEdge(path[index] as string, to, 'step')) };
}

/** A group with its joined members, and the edges between its members, their starter and its callbacks. */
function groupOf(group: GraphGroup, { jobs, steps }: FoundGraph): Subgraph {
  const { id, parent } = group;
  const joined = [...group.others, ...prunedOf(group, jobs)].map((members, index) => toNode(members, id, index));
  const alone = [
    ...group.members.map((member) => member.id),
    // A job of a large group that is drawn for another reason.
    ...jobs.filter((job) => job.group === id).map((job) => job.id),
  ];
  const members = [...new Set(alone.map(jobNode)), ...joined.map((node) => node.id)];
  const set = steps.find((step) => step.set === id);
  const starter = set ? stepNode(set.kind, set.name) : parent && jobNode(parent);
  const callbacks = (from: string) =>
    CALLBACKS.flatMap(([kind, name]) => (group[name] ? toEdge(from, jobNode(group[name]), kind) : []));
  if (group.jobs === 1) {
    const started = starter ? members.map((member) => toEdge(starter, member, 'child')) : [];
    return { nodes: joined, edges: [...started, ...members.flatMap(callbacks)] };
  }
  const own = groupNode(id);
  const state = group.isFinished ? 'done' : 'open';
  const node: GraphNode = { ...NONE, id: own, kind: 'group', group: id, state, count: exactly(group.jobs) };
  const edges = starter
    ? [toEdge(starter, own, 'child'), ...members.map((member) => toEdge(own, member, 'child'))]
    : members.map((member) => toEdge(member, own, 'member'));
  return { nodes: [node, ...joined], edges: [...edges, ...callbacks(own)] };
}

/** Members without a job, by outcome. */
function prunedOf({ members }: GraphGroup, jobs: FoundGraph['jobs']): Members[] {
  const known = new Set(jobs.map(({ id }) => id));
  const pruned = groupBy(
    members.filter(({ id }) => !known.has(id)),
    ({ outcome }) => outcome,
  );
  return [...pruned].map(([outcome, { length }]) => ({ outcome, state: undefined, names: [], jobs: exactly(length) }));
}

function toNode({ outcome, state, names, jobs }: Members, group: string, index: number): GraphNode {
  const known = outcome === 'open' ? 'pending' : outcome;
  return {
    ...NONE,
    id: `members ${group} ${index}`,
    kind: 'members',
    group,
    names,
    state: state ?? known,
    outcome: known,
    isExact: state !== undefined || names.length === 0,
    count: jobs,
  };
}
