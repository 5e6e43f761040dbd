import { Graph, layout } from '@dagrejs/dagre';

import type { GraphEdge, JobGraph } from '../../contract.js';

export const NODE_WIDTH = 196;
export const NODE_HEIGHT = 46;

/** The space that the label of an edge needs. */
const LABEL = { width: 84, height: 18, labelpos: 'c' } as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** The middle of its label; undefined for an edge without one. */
  readonly label: Point | undefined;
}

export interface Placement {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each node by its id, from left to right and from top to bottom. */
  readonly corners: ReadonlyMap<string, Point>;
  readonly edges: readonly PlacedEdge[];
}

/** The words beside an edge to a callback. */
export const LABELS: Partial<Readonly<Record<GraphEdge['kind'], string>>> = {
  success: 'on success',
  failure: 'on failure',
  completion: 'at the end',
};

/** Places the nodes in layers from left to right. It takes about 0.1 s for the largest graphs. */
export function placeNodes({ nodes, edges }: Pick<JobGraph, 'nodes' | 'edges'>): Placement {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 14, edgesep: 10, ranksep: 48, marginx: 8, marginy: 8 });
  for (const { id } of nodes) {
    graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  }
  for (const { from, to, kind } of edges) {
    graph.setEdge(from, to, LABELS[kind] ? { ...LABEL } : {});
  }
  layout(graph);
  const corners = nodes.map(({ id }) => {
    const { x, y } = graph.node(id) as Point;
    return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }] as const;
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    corners: new Map(corners.toSorted(([, one], [, other]) => one.x - other.x || one.y - other.y)),
    edges: edges.map((edge) => {
      const { points, x, y } = graph.edge(edge.from, edge.to) as { points: Point[]; x?: number; y?: number };
      return { edge, points, label: x === undefined || y === undefined ? undefined : { x, y } };
    }),
  };
}

/** Returns the path of a smooth line along some points. */
export function lineAlong(points: readonly Point[]): string {
  const [first, ...others] = points.map(({ x, y }) => `${round(x)} ${round(y)}`);
  const curves = points.slice(1, -1).map((point, index) => {
    const next = points[index + 2] as Point;
    return `Q${round(point.x)} ${round(point.y)} ${round((point.x + next.x) / 2)} ${round((point.y + next.y) / 2)}`;
  });
  return `M${first}${curves.join('')}L${others.at(-1) ?? first}`;
}

/** Returns the path of an arrow head at the end of a line. It points to the right, as all edges do. */
export function arrowAt(points: readonly Point[]): string {
  const { x, y } = points.at(-1) as Point;
  return `M${round(x - 7)} ${round(y - 4)}L${round(x)} ${round(y)}L${round(x - 7)} ${round(y + 4)}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
