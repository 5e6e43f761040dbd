import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import type { GraphNode, JobGraph } from '../../contract.js';
import { cutInMiddle } from '../../format/cut.js';
import { Link } from '../../components/link.js';
import { GraphList } from './graph-list.js';
import { labelOf, pathOf, textOf, toneOf } from './node-text.js';
import { LABELS, NODE_HEIGHT, NODE_WIDTH, type Placement, arrowAt, lineAlong, placeNodes } from './place-nodes.js';

/** How many characters of a line fit into a node. */
const MOST_CHARACTERS = 22;

interface GraphProps {
  readonly graph: JobGraph;
}

export function GraphView({ graph }: GraphProps) {
  const { nodes, edges, isCut } = graph;
  // Places depend on the nodes and edges, not on the states, which change often.
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges]);
  const placement = useMemo(() => placeNodes(graph), [shape]);
  const inOrder = [...placement.corners.keys()].flatMap((id) => nodes.find((node) => node.id === id) ?? []);
  return (
    <>
      {nodes.length === 1 && <p class="graph-note">Nothing depends on this job, and it depends on nothing.</p>}
      {isCut && (
        <p class="graph-note">Not everything fits. Open the graph of another job to see what is around that job.</p>
      )}
      <Drawing graph={graph} placement={placement} nodes={inOrder} />
      <details class="graph-list">
        <summary>As a list</summary>
        <GraphList nodes={inOrder} edges={edges} />
      </details>
    </>
  );
}

interface DrawingProps extends GraphProps {
  readonly placement: Placement;
  readonly nodes: readonly GraphNode[];
}

function Drawing({ graph: { job }, placement: { width, height, corners, edges }, nodes }: DrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  // The job is in sight at first. Later the user scrolls.
  useLayoutEffect(() => {
    const box = frame.current;
    const corner = corners.get(nodes.find((node) => isAbout(node, job.id))?.id ?? '');
    if (box && corner) {
      box.scrollLeft = corner.x - (box.clientWidth - NODE_WIDTH) / 2;
      box.scrollTop = corner.y - (box.clientHeight - NODE_HEIGHT) / 2;
    }
  }, [job.id]);
  return (
    <div class="graph-frame" ref={frame}>
      <svg
        class="graph"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Graph of the job"
      >
        <g aria-hidden="true">
          {edges.map(({ edge, points, label }) => (
            <g key={`${edge.from} ${edge.to}`} class={`graph-edge graph-edge-${edge.kind}`}>
              <path d={lineAlong(points)} />
              <path d={arrowAt(points)} />
              {label && (
                <text x={label.x} y={label.y + 4}>
                  {LABELS[edge.kind]}
                </text>
              )}
            </g>
          ))}
        </g>
        {nodes.map((node) => (
          <Node key={node.id} node={node} isCurrent={isAbout(node, job.id)} {...corners.get(node.id)} />
        ))}
      </svg>
    </div>
  );
}

const isAbout = ({ kind, job }: GraphNode, id: string): boolean => kind === 'job' && job === id;

interface NodeProps {
  readonly node: GraphNode;
  /** Whether it is the job that the graph is about. */
  readonly isCurrent: boolean;
  readonly x?: number;
  readonly y?: number;
}

/** A link, named by its title. The inner `svg` clips texts that are wider than expected. */
function Node({ node, isCurrent, x, y }: NodeProps) {
  const { title, note } = textOf(node);
  return (
    <Link
      to={pathOf(node)}
      class={`graph-node graph-${node.kind} tone-${toneOf(node)}${isCurrent ? ' is-current' : ''}`}
    >
      <title>
        {labelOf(node)}
        {isCurrent && ', this job'}
      </title>
      <svg x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} aria-hidden="true">
        <rect x="1.5" y="1.5" width={NODE_WIDTH - 3} height={NODE_HEIGHT - 3} rx="7" />
        <path d={`M1.5 8v${NODE_HEIGHT - 16}`} class="graph-mark" />
        <text x="12" y="19">
          {cutInMiddle(title, MOST_CHARACTERS)}
        </text>
        <text x="12" y="36" class="graph-state">
          {cutInMiddle(note, MOST_CHARACTERS + 3)}
        </text>
      </svg>
    </Link>
  );
}
