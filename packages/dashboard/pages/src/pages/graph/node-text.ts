import type { GraphNode } from '../../contract.js';
import { formatJobs, formatNumber } from '../../format/numbers.js';
import { visible } from '../../format/visible.js';
import { TONE_OF, type Tone } from '../../components/badge.js';
import { groupPath, jobPath } from '../../components/link.js';

/** What a node shows, and what screen readers say. */
export interface NodeText {
  readonly title: string;
  /** The second line. */
  readonly note: string;
  /** Both, for screen readers and for the list. */
  readonly label: string;
}

const TONES: Readonly<Record<NonNullable<GraphNode['state']>, Tone>> = {
  ...TONE_OF,
  pending: 'due',
  open: 'due',
  done: 'good',
  late: 'warn',
};

export const toneOf = ({ state }: GraphNode): Tone => (state === null ? 'calm' : TONES[state]);

export function textOf(node: GraphNode): NodeText {
  const { kind, isExact } = node;
  const count = node.count ?? 1;
  const state = node.state ?? '';
  const name = node.names.map(visible).join(', ');
  switch (kind) {
    case 'job':
      return { title: name, note: state, label: `${name}, ${state}` };
    case 'step': {
      const title = name || 'cursor';
      const note = `${node.step ?? kind}, ${state}`;
      return { title, note, label: `${title}, ${note}` };
    }
    case 'earlier-steps': {
      const title = `Earlier steps: ${formatNumber(node.count?.count ?? 0)}`;
      return { title, note: 'on the page of the job', label: title };
    }
    case 'group':
      return { title: formatJobs(count), note: `group, ${state}`, label: `Group of ${formatJobs(count)}, ${state}` };
    case 'members': {
      const note = formatJobs(count, state);
      const all = name || 'pruned jobs';
      return isExact
        ? { title: all, note, label: `${note}, ${all}` }
        : { title: `${name}, …`, note, label: `${note}, such as ${name}` };
    }
  }
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
