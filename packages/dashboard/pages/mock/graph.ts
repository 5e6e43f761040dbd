import type { GraphEdge, GraphNode, JobGraph, JobRow } from '../src/contract.js';
import { type Shop, uuid } from './shop.js';

const NONE = { job: null, group: null, names: [], step: null, outcome: null, isExact: true, count: null } as const;
const LARGE = uuid(70_002);
const SET = uuid(70_003);

/** The graph of a job: one of 5,000 members of a group, with steps and two children. */
export function graphOf(shop: Shop, id: string): JobGraph | undefined {
  const row = shop.byId(id);
  if (row === undefined) {
    return undefined;
  }
  const isOther = (job: JobRow): boolean => job.id !== id;
  const [publish, report] = shop.find({ state: 'waiting' }).filter(isOther);
  const children = shop.find({ state: 'running' }).filter(isOther).slice(0, 2);
  const jobs = [row, publish, report, ...children].filter((job) => job !== undefined);
  const nodes: GraphNode[] = jobs.map((job) => {
    return { ...NONE, id: `job ${job.id}`, kind: 'job', job: job.id, names: [job.name], state: job.state };
  });
  const group = (of: string, jobsOf: number): GraphNode => {
    return { ...NONE, id: `group ${of}`, kind: 'group', group: of, state: 'open', count: exactly(jobsOf) };
  };
  const step = (name: string, kind: GraphNode['step'], state: GraphNode['state']): GraphNode => {
    return { ...NONE, id: `step ${name}`, kind: 'step', job: id, names: [name], step: kind, state };
  };
  const members = (outcome: GraphNode['outcome'], state: GraphNode['state'], count: number): GraphNode => {
    const isExact = outcome === 'failed';
    const names = isExact ? [shop.find({ state: 'failed' })[0]?.name ?? ''] : ['order.confirm', 'search.index'];
    const base = { ...NONE, kind: 'members', group: LARGE, isExact } as const;
    return { ...base, id: `members ${outcome}`, names, state, outcome, count: exactly(count) };
  };
  nodes.push(
    { ...NONE, id: 'earlier', kind: 'earlier-steps', job: id, state: null, count: exactly(12) },
    step('reserve', 'step', 'done'),
    step('approved', 'signal', 'late'),
    step('ship', 'child', 'open'),
    group(LARGE, 5_000),
    group(SET, 2),
    members('failed', 'failed', 3),
    members('pending', 'pending', 1_020),
    members('succeeded', 'succeeded', 3_977),
  );
  const edges: GraphEdge[] = [
    ...path([`job ${id}`, 'earlier', 'step reserve', 'step approved', 'step ship'], 'step'),
    { from: 'step ship', to: `group ${SET}`, kind: 'child' },
    ...children.map((child): GraphEdge => ({ from: `group ${SET}`, to: `job ${child.id}`, kind: 'child' })),
    ...[`job ${id}`, 'members failed', 'members pending', 'members succeeded'].map((from): GraphEdge => {
      return { from, to: `group ${LARGE}`, kind: 'member' };
    }),
    ...(publish ? [{ from: `group ${LARGE}`, to: `job ${publish.id}`, kind: 'success' } as const] : []),
    ...(report ? [{ from: `group ${LARGE}`, to: `job ${report.id}`, kind: 'failure' } as const] : []),
  ];
  return { job: { id, name: row.name, state: row.state }, nodes, edges, isCut: false };
}

const exactly = (count: number) => ({ count, isCapped: false });

const path = (ids: readonly string[], kind: GraphEdge['kind']): GraphEdge[] =>
  ids.slice(1).map((to, index) => ({ from: ids[index] as string, to, kind }));
