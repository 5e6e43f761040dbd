import type { GraphEdge, GraphNode } from '../../contract.js';
import { Badge } from '../../components/badge.js';
import { Link } from '../../components/link.js';
import { labelOf, pathOf, textOf, toneOf } from './node-text.js';

/** How an edge is described at the node that it leads to; that to a group, at the member. */
const WORDS: Readonly<Record<GraphEdge['kind'], string>> = {
  step: 'after',
  child: 'started by',
  member: 'member of',
  success: 'on success of',
  failure: 'on failure of',
  completion: 'at the end of',
};
const MOST_RELATIONS = 3;

interface GraphListProps {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The graph as text. */
export function GraphList({ nodes, edges }: GraphListProps) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const relationsOf = (id: string): string[] =>
    edges.flatMap(({ from, to, kind }) => {
      const other = kind === 'member' ? from === id && byId.get(to) : to === id && byId.get(from);
      return other ? `${WORDS[kind]} ${nameOf(other)}` : [];
    });
  return (
    <ul class="relatives">
      {nodes.map((node) => {
        const relations = relationsOf(node.id);
        const more = relations.length - MOST_RELATIONS;
        return (
          <li key={node.id}>
            {node.state !== null && <Badge tone={toneOf(node)}>{node.state}</Badge>}
            <Link to={pathOf(node)}>{nameOf(node)}</Link>
            <span class="quiet">
              {relations.slice(0, MOST_RELATIONS).join(', ')}
              {more > 0 && ` and ${more} more`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Its name in the list. Jobs of the same name differ in the end of their ids. */
function nameOf(node: GraphNode): string {
  const { title } = textOf(node);
  switch (node.kind) {
    case 'job':
      return `${title} ${node.job?.slice(-6)}`;
    case 'step':
      return `${node.step} ${title}`;
    case 'group':
      return `group of ${title}`;
    default:
      return labelOf(node);
  }
}
