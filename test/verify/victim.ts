import type { ServerControl } from '@tablequeue/verify';
import mysql from 'mysql2/promise';
import type { DataSourceOptions } from 'typeorm';

import { controlCluster } from '../servers/clusters/cluster-control.js';
import { startCluster } from '../servers/clusters/obtain-cluster.js';
import { CLUSTERS, type ClusterKind } from '../servers/engines.js';
import { obtainServer } from '../servers/obtain-server.js';
import type { ServerEngine } from '../servers/server.js';
import { DATABASE_TYPES } from '../support/connection-options.js';

/** What the bench can be let loose on, with faults of the server. */
export const VICTIMS = ['mariadb', 'mysql', 'mysql56', ...CLUSTERS] as const;

/** One of them. */
export type VictimEngine = (typeof VICTIMS)[number];

/** A server of its own, or a cluster, that may be killed. It loses no commit by that. */
export interface Victim {
  /** Of an account that is nobody special: who may do everything writes to a server that is read-only. */
  readonly dataSourceOptions: DataSourceOptions;
  readonly server: ServerControl;
  /** Where its programs came from. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts one. @throws where its programs cannot be had. */
export async function startVictim(engine: VictimEngine): Promise<Victim> {
  const started = await (isCluster(engine) ? aCluster(engine) : aServer(engine));
  const { origin, url, server } = started;
  try {
    const admin = await mysql.createConnection(url);
    await admin.query('CREATE DATABASE bench DEFAULT CHARACTER SET utf8mb4');
    await admin.query("CREATE USER bench@'%' IDENTIFIED BY 'bench'");
    await admin.query("GRANT ALL ON bench.* TO bench@'%'");
    await admin.end();
  } catch (error) {
    await started.stop();
    throw error;
  }
  const own = Object.assign(new URL(url), { username: 'bench', password: 'bench', pathname: '/bench' });
  const type = isCluster(engine) ? TYPES[engine] : (DATABASE_TYPES[engine] as 'mysql');
  return { dataSourceOptions: { type, url: own.href }, server, origin, stop: () => started.stop() };
}

const TYPES = { galera: 'mariadb', 'group-replication': 'mysql' } as const;

function isCluster(engine: VictimEngine): engine is ClusterKind {
  return (CLUSTERS as readonly string[]).includes(engine);
}

async function aServer(engine: ServerEngine) {
  const server = await obtainServer(engine, console.log, 'kill');
  if (!('url' in server) || !server.control) {
    throw new Error(`There is no ${engine} here that may be killed. ${'reason' in server ? server.reason : ''}`);
  }
  return { origin: server.origin, url: server.url, server: server.control, stop: () => server.stop() };
}

async function aCluster(kind: ClusterKind) {
  const cluster = await startCluster(kind, 'kill');
  const controlled = await controlCluster(cluster);
  const stop = async () => {
    await controlled.close();
    await cluster.stop();
  };
  return { origin: cluster.origin, url: controlled.url, server: controlled.control, stop };
}
