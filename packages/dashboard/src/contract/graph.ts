import { Count } from './counts.js';
import {
  BOOLEAN,
  type Infer,
  UUID,
  component,
  described,
  listOf,
  named,
  nullable,
  oneOf,
  text,
} from './json-schema.js';
import { JobLink, MemberOutcome } from './jobs.js';

export type GraphState = Infer<typeof GraphState>;
export const GraphState = named(
  'GraphState',
  oneOf(
    'waiting',
    'scheduled',
    'ready',
    'running',
    'succeeded',
    'failed',
    'cancelled',
    'expired',
    'pending',
    'open',
    'done',
    'late',
  ),
);

export type GraphNode = Infer<typeof GraphNode>;
export const GraphNode = component('GraphNode', {
  id: described(text(), 'within the graph'),
  kind: described(
    oneOf('job', 'step', 'earlier-steps', 'group', 'members'),
    '`members`: several members of a group that have the same outcome',
  ),
  job: described(nullable(UUID), 'the job, or the durable job that has the step'),
  group: described(nullable(UUID), 'the group, or the group of the members'),
  names: described(listOf(text()), 'of the job or step; of `members` up to three, none if their jobs were pruned'),
  step: described(nullable(oneOf('step', 'sleep', 'signal', 'child', 'cursor')), 'the kind of the step'),
  state: described(
    nullable(GraphState),
    'of a job or a step; of `members` their state, or else their outcome; of a group `open` or `done`; null for ' +
      '`earlier-steps`',
  ),
  outcome: described(nullable(MemberOutcome), 'the outcome of `members`'),
  isExact: described(BOOLEAN, 'false for `members` that were not all read: `names` are those of some'),
  count: described(nullable(Count), 'the number of jobs or steps that it joins; null for a single one'),
});

export type GraphEdge = Infer<typeof GraphEdge>;
export const GraphEdge = component('GraphEdge', {
  from: described(text(), 'the id of a node'),
  to: described(text(), 'the id of a node'),
  kind: described(
    oneOf('step', 'child', 'member', 'success', 'failure', 'completion'),
    '`child`: it has started a child; `member`: to its group; the last three: to a callback',
  ),
});

export type JobGraph = Infer<typeof JobGraph>;
export const JobGraph = component('JobGraph', {
  job: described(JobLink, 'the job that the graph is about'),
  nodes: described(listOf(GraphNode), 'up to 150'),
  edges: listOf(GraphEdge),
  isCut: described(BOOLEAN, 'true if groups are missing because the graph would be too large'),
});
