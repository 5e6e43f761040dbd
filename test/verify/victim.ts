import { type ServerControl, type Verdict, type VerifyOptions, verify } from '@tablequeue/verify';
import mysql from 'mysql2/promise';
import type { DataSourceOptions } from 'typeorm';

import { controlCluster } from '../servers/clusters/cluster-control.js';
import { startCluster } from '../servers/clusters/obtain-cluster.js';
import { CLUSTERS, type ClusterKind } from '../servers/engines.js';
import { obtainServer } from '../servers/obtain-server.js';
import type { ServerEngine } from '../servers/server.js';
import { DATABASE_TYPES } from '../support/connection-options.js';

/** The engines on which verify can inject faults of the server. */
export const VICTIMS = ['mariadb', 'mariadb118', 'mysql', 'mysql56', ...CLUSTERS] as const;

/** One of them. */
export type VictimEngine = (typeof VICTIMS)[number];

/** A server or cluster that may be killed. It loses no commit. */
export interface Victim {
  /** For an account without administrative privileges: others may write to a read-only server. */
  readonly dataSourceOptions: DataSourceOptions;
  readonly server: ServerControl;
  /** The source of its programs. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts one. @throws if its programs are not available. */
export async function startVictim(engine: VictimEngine): Promise<Victim> {
  const started = await (isCluster(engine) ? aCluster(engine) : aServer(engine));
  const { origin, url, server } = started;
  try {
    const admin = await mysql.createConnection(url);
    await admin.query('CREATE DATABASE bench DEFAULT CHARACTER SET utf8mb4');
    // On MySQL 5.6, connections from localhost get its anonymous account instead of an account for all hosts.
    for (const host of ['%', 'localhost']) {
      await admin.query(`CREATE USER bench@'${host}' IDENTIFIED BY 'bench'`);
      await admin.query(`GRANT ALL ON bench.* TO bench@'${host}'`);
    }
    await admin.end();
  } catch (error) {
    await started.stop();
    throw error;
  }
  const own = Object.assign(new URL(url), { username: 'bench', password: 'bench', pathname: '/bench' });
  const type = isCluster(engine) ? TYPES[engine] : (DATABASE_TYPES[engine] as 'mysql');
  return { dataSourceOptions: { type, url: own.href }, server, origin, stop: () => started.stop() };
}

/** Verifies a server of its own, which is stopped afterwards. */
export async function verifyVictim(
  engine: VictimEngine,
  options: Omit<VerifyOptions, 'dataSourceOptions' | 'server'>,
): Promise<Verdict> {
  const victim = await startVictim(engine);
  const { dataSourceOptions, server } = victim;
  try {
    return await verify({ ...options, dataSourceOptions, server });
  } finally {
    await victim.stop();
  }
}

const TYPES = { galera: 'mariadb', 'group-replication': 'mysql' } as const;

function isCluster(engine: VictimEngine): engine is ClusterKind {
  return (CLUSTERS as readonly string[]).includes(engine);
}

async function aServer(engine: ServerEngine) {
  const server = await obtainServer(engine, console.log, 'kill');
  if (!('url' in server) || !server.control) {
    throw new Error(`No ${engine} is available that may be killed. ${'reason' in server ? server.reason : ''}`);
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
