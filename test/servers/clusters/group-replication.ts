import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';
import mysql from 'mysql2/promise';

import { BY_ENGINE, type Binaries, initialize, runAsRoot } from '../binaries.js';
import { debianBinaries } from '../debian.js';
import { argumentsFor } from '../purpose-arguments.js';
import type { ServerPurpose } from '../server.js';
import { queryServer, waitUntilReady } from '../wait-until-ready.js';
import type { Cluster } from './cluster.js';
import { SupervisedNode } from './node.js';

const NODES = 3;
const GROUP = '8f3d6f2e-54cf-4c05-a3f9-5b0c52f0a0a1';

/** Downloads the server if needed. @returns undefined when the apt of this machine has no Debian mirror. */
export function obtainGroupReplication(log: (message: string) => void): Promise<Binaries | undefined> {
  return debianBinaries('mysql', log);
}

/** Starts three nodes of MySQL with Group Replication. The first is the primary. */
export async function startGroupReplication(binaries: Binaries, purpose: ServerPurpose): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tablequeue-group-replication-'));
  const nodes: SupervisedNode[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await initialize(binaries, folder);
    // Each server creates its own, with the id by which the others recognize it.
    await rm(join(folder, 'data/auto.cnf'));
    const ports = await Promise.all(Array.from({ length: NODES }, () => getPort({ host: '127.0.0.1' })));
    const seeds = ports.map((port) => `127.0.0.1:${port}`).join(',');
    for (const [index, port] of ports.entries()) {
      const own = join(folder, `node-${index + 1}`);
      await cp(join(folder, 'data'), join(own, 'data'), { recursive: true });
      const command = [
        ...binaries.command,
        '--no-defaults',
        ...binaries.fileArguments,
        ...runAsRoot(),
        ...BY_ENGINE.mysql,
        `--datadir=${join(own, 'data')}`,
        `--port=${port}`,
        `--socket=${join(own, 'socket')}`,
        `--pid-file=${join(own, 'pid')}`,
        `--tmpdir=${own}`,
        '--bind-address=127.0.0.1',
        '--innodb-buffer-pool-size=64M',
        ...argumentsFor(purpose, 'mysql'),
        `--server-id=${index + 1}`,
        '--gtid-mode=ON',
        '--enforce-gtid-consistency=ON',
        '--report-host=127.0.0.1',
        `--report-port=${port}`,
        '--plugin-load-add=group_replication.so',
        ...option('group-name', GROUP),
        ...option('start-on-boot', 'OFF'),
        // Through the SQL ports, which listen on loopback only. The other stack listens on all addresses.
        ...option('communication-stack', 'MYSQL'),
        ...option('local-address', `127.0.0.1:${port}`),
        ...option('group-seeds', seeds),
        ...option('recovery-get-public-key', 'ON'),
        // The others exclude a missing node after 5 s. The default is 10.
        ...option('member-expel-timeout', '0'),
      ];
      const url = `mysql://root@127.0.0.1:${port}`;
      const node = new SupervisedNode({
        folder: own,
        url,
        command: async () => {
          // A killed server leaves this file, and its process id stays in use until its supervisor ends.
          await rm(join(own, 'socket.lock'), { force: true });
          return command;
        },
        probe: () => queryServer(url),
        join: (again) => joinGroup(url, { isFirst: index === 0 && !again }),
      });
      nodes.push(node);
      await node.start();
    }
    return { kind: 'group-replication', origin: binaries.origin, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An option of the plugin, which the server does not know before it loads the plugin. */
function option(name: string, value: string): string[] {
  return [`--loose-group-replication-${name}=${value}`];
}

async function joinGroup(url: string, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
  const connection = await mysql.createConnection(url);
  try {
    await connection.query(
      "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'root', SOURCE_PASSWORD = '' FOR CHANNEL 'group_replication_recovery'",
    );
    await connection.query(`SET GLOBAL group_replication_bootstrap_group = ${isFirst ? 'ON' : 'OFF'}`);
    await connection.query('START GROUP_REPLICATION');
    await connection.query('SET GLOBAL group_replication_bootstrap_group = OFF');
    await waitUntilReady(
      () => assertOnline(connection),
      async () => '',
    );
  } finally {
    await connection.end();
  }
}

async function assertOnline(connection: mysql.Connection): Promise<void> {
  const [rows] = await connection.query(
    'SELECT member_state AS state FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid',
  );
  const [row] = rows as { state: string }[];
  if (row?.state !== 'ONLINE') {
    throw new Error(`The node is ${row?.state}.`);
  }
}
