import type { GraphNode } from '../../contract.js';
import { formatJobs, formatNumber } from '../../format/numbers.js';
import { visible } from '../../format/visible.js';
import { TONE_OF, type Tone } from '../../components/badge.js';
import { groupPath, jobPath } from '../../components/link.js';

/** The two lines of a node. */
export interface NodeText {
  readonly title: string;
  readonly note: string;
}

const TONES: Readonly<Record<NonNullable<GraphNode['state']>, Tone>> = {
  ...TONE_OF,
  pending: 'due',
  open: 'due',
  done: 'good',
  late: 'warn',
};

export const toneOf = ({ state }: GraphNode): Tone => (state === null ? 'calm' : TONES[state]);

export function textOf({ kind, names, step, state, isExact, count }: GraphNode): NodeText {
  const jobs = formatJobs(count ?? 1);
  const name = names.map(visible).join(', ');
  switch (kind) {
    case 'job':
      return { title: name, note: state ?? '' };
    case 'step':
      return { title: name || 'cursor', note: `${step}, ${state}` };
    case 'earlier-steps':
      return { title: `${formatNumber(count?.count ?? 0)} earlier`, note: 'steps, not shown here' };
    case 'group':
      return { title: jobs, note: `group, ${state}` };
    case 'members':
      return {
        title: isExact ? name || 'pruned jobs' : `${visible(names[0] ?? '')}, …`,
        note: formatJobs(count ?? 1, state ?? ''),
      };
  }
}

/** The name of a node for screen readers, and its tooltip. It has space for the names of several jobs. */
export function labelOf(node: GraphNode): string {
  const { title, note } = textOf(node);
  return `${node.isExact ? title : `${node.names.map(visible).join(', ')} and others`}, ${note}`;
}

/** Where a node leads: to the page of its job, or to the list of the members. */
export function pathOf({ kind, job, group, names, state, outcome, isExact }: GraphNode): string {
  if (group === null) {
    return jobPath(job ?? '');
  }
  if (kind === 'group') {
    return groupPath(group, { outcome: state === 'open' ? 'pending' : 'succeeded' });
  }
  const [name] = names;
  return groupPath(group, {
    outcome: outcome ?? undefined,
    ...(isExact && name !== undefined && { name, state: state ?? undefined }),
  });
}
