/*
 * Starts a cluster, to try something on it:
 *
 *   npm run cluster -- galera                                       until it is interrupted
 *   npm run cluster -- galera npm test -- --engine=mariadb groups   while a command runs, whose tests use its first node
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { CLUSTERS, type ClusterKind } from '../engines.js';
import { startCluster } from './obtain-cluster.js';

const VARIABLES: Record<ClusterKind, string> = {
  galera: 'TABLEQUEUE_TEST_MARIADB_URL',
  'group-replication': 'TABLEQUEUE_TEST_MYSQL_URL',
};

async function main([kind, command, ...args]: readonly string[]): Promise<number> {
  if (!isCluster(kind)) {
    console.error(`Name a cluster: ${CLUSTERS.join(' or ')}.`);
    return 2;
  }
  const cluster = await startCluster(kind);
  try {
    const [first] = cluster.nodes;
    console.log(`${kind}, ${cluster.origin}: ${cluster.nodes.map(({ url }) => url).join(' ')}`);
    if (!command) {
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      return 0;
    }
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, [VARIABLES[kind]]: first?.url } });
    // Both get an interrupt from the terminal. The cluster stops when the command has ended.
    process.on('SIGINT', () => undefined).on('SIGTERM', () => child.kill());
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await cluster.stop();
  }
}

function isCluster(kind: string | undefined): kind is ClusterKind {
  return (CLUSTERS as readonly (string | undefined)[]).includes(kind);
}

process.exitCode = await main(process.argv.slice(2));
