import { type ClusterKind, type Engine, SERVERS_VARIABLE, type ServersByEngine } from '../servers/engines.js';

const servers = JSON.parse(process.env[SERVERS_VARIABLE] ?? '{}') as ServersByEngine;

/** The URL of an engine's server; undefined for SQLite. */
export function serverUrl(engine: Engine): string | undefined {
  const server = servers[engine];
  return server && 'url' in server ? server.url : undefined;
}

/** Whether the programs of a cluster are there. */
export function canStart(cluster: ClusterKind): boolean {
  const server = servers[cluster];
  return server !== undefined && 'ready' in server;
}

/** Whether this run was not asked to test an engine, or a cluster. */
export function isLeftOut(engine: Engine | ClusterKind): boolean {
  const server = servers[engine];
  return server !== undefined && 'left' in server;
}
