import type { ServerControl } from '@tablequeue/verify';

import { primaryOf } from '../../support/primary-of.js';
import { Balancer } from './balancer.js';
import type { Cluster, ClusterNode } from './cluster.js';

/** A cluster behind one address, as an application sees it, with control over its nodes. */
export interface ControlledCluster {
  /** One URL, without a database. Each connection goes to a node that accepts writes. */
  readonly url: string;
  /** Controls one node at a time: the nodes of Galera in rotation, or the primary of a group. */
  readonly control: ServerControl;
  /** Refuses connections. The cluster keeps running. */
  close(): Promise<void>;
}

/** Opens the address. */
export async function controlCluster(cluster: Cluster): Promise<ControlledCluster> {
  return cluster.kind === 'galera' ? controlGalera(cluster) : controlGroup(cluster);
}

/** All nodes accept writes: each connection gets the next one, and the faults another one after each restart. */
async function controlGalera({ nodes }: Cluster): Promise<ControlledCluster> {
  let connections = 0;
  let restarts = 0;
  const balancer = new Balancer(() => {
    const first = connections++ % nodes.length;
    return urlsOf([...nodes.slice(first), ...nodes.slice(0, first)]);
  });
  const victim = () => nodes[restarts % nodes.length]!;
  return opened(balancer, {
    get adminUrl() {
      return victim().url;
    },
    kill: async () => victim().kill(),
    start: async () => {
      await victim().restart();
      restarts++;
    },
  });
}

/** One node accepts writes. When it is killed the others elect another, and new connections go to that one. */
async function controlGroup({ nodes }: Cluster): Promise<ControlledCluster> {
  let primary = nodes[0]!;
  let victim = primary;
  let election: Promise<unknown> = Promise.resolve();
  return opened(new Balancer(() => urlsOf([primary])), {
    get adminUrl() {
      return primary.url;
    },
    kill: async () => {
      victim = primary;
      victim.kill();
      election = primaryOf(nodes.filter((node) => node !== victim)).then((elected) => (primary = elected));
    },
    start: async () => {
      // Until the election the group still counts the killed node as a member.
      await election;
      await victim.restart();
    },
  });
}

async function opened(balancer: Balancer, control: ServerControl): Promise<ControlledCluster> {
  await balancer.open();
  return { url: balancer.url, control, close: () => balancer.cut() };
}

function urlsOf(nodes: readonly ClusterNode[]): URL[] {
  return nodes.map(({ url }) => new URL(url));
}
