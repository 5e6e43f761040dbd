import { access, chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import getPort from 'get-port';
import mysql from 'mysql2/promise';

import { type Binaries, initialize, run, runAsRoot } from '../binaries.js';
import { debianBinaries, obtainPackage } from '../debian.js';
import type { ServerPurpose } from '../server.js';
import { supervise } from '../supervise.js';
import { NeverReadyError, waitUntilGone } from '../wait-until-ready.js';
import type { Cluster } from './cluster.js';
import { SupervisedNode } from './node.js';

const NODES = 3;
/** The argument for the node that starts a cluster. */
const FIRST = '--wsrep-new-cluster';

/**
 * A state transfer script. The scripts of the server copy all data with rsync, and do not run as root. The nodes here
 * start with the same data, so they need only the writesets that they missed, and the library sends these. This script
 * passes the position to the joiner, in a file in its folder, and refuses every other transfer. It ends with its server.
 */
const WRITESETS_ONLY = `#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    --role) role=$2; shift ;;
    --address) address=$2; shift ;;
    --datadir) folder=$2; shift ;;
    --gtid) position=$2; shift ;;
    --parent) parent=$2; shift ;;
    --bypass) bypass=yes ;;
  esac
  shift
done
if [ "$role" = joiner ]; then
  file=$folder/state-transfer
  rm -f "$file"
  echo "ready $address/$file"
  until [ -s "$file" ]; do kill -0 "$parent" || exit 1; sleep 0.05; done
  cat "$file"
else
  [ -n "$bypass" ] || exit 22
  file=\${address#*/}
  echo "$position" > "$file.new" && mv "$file.new" "$file" && echo "done $position"
fi
`;

interface Ports {
  readonly sql: number;
  readonly group: number;
  readonly transfer: number;
}

/** The programs of a Galera cluster. */
export interface GaleraParts {
  readonly binaries: Binaries;
  /** The library that turns a MariaDB server into a node. */
  readonly provider: string;
}

/** Downloads them if needed. @returns undefined when the apt of this machine has no Debian mirror. */
export async function obtainGalera(log: (message: string) => void): Promise<GaleraParts | undefined> {
  const [binaries, galera] = await Promise.all([
    debianBinaries('mariadb', log),
    obtainPackage('bookworm', 'galera-4', log),
  ]);
  return binaries && galera && { binaries, provider: join(galera.root, 'usr/lib/galera/libgalera_smm.so') };
}

/** Starts three nodes of MariaDB Galera. All of them accept writes. */
export async function startGalera({ binaries, provider }: GaleraParts, purpose: ServerPurpose): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tablequeue-galera-'));
  const nodes: SupervisedNode[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const scripts = join(folder, 'scripts');
    await mkdir(scripts);
    await writeFile(join(scripts, 'wsrep_sst_writesets_only'), WRITESETS_ONLY);
    await chmod(join(scripts, 'wsrep_sst_writesets_only'), 0o755);
    await initialize(binaries, folder);
    const ports = await Promise.all(Array.from({ length: NODES }, freePorts));
    const address = ports.map(({ group }) => `127.0.0.1:${group}`).join(',');
    const commandOf = (name: string, data: string, { sql, group, transfer }: Ports) => [
      'env',
      `PATH=${scripts}:${process.env.PATH}`,
      ...binaries.command,
      '--no-defaults',
      ...binaries.fileArguments,
      ...runAsRoot(),
      `--datadir=${data}`,
      `--tmpdir=${dirname(data)}`,
      `--port=${sql}`,
      `--socket=${join(folder, `${name}.socket`)}`,
      `--pid-file=${join(folder, `${name}.pid`)}`,
      '--bind-address=127.0.0.1',
      '--innodb-buffer-pool-size=64M',
      // Replication needs no binary log. Only the purpose `kill` needs every commit on the disk.
      `--innodb-flush-log-at-trx-commit=${purpose === 'kill' ? 1 : 2}`,
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      '--wsrep-cluster-name=tablequeue',
      `--wsrep-cluster-address=gcomm://${address}`,
      `--wsrep-node-name=${name}`,
      `--wsrep-node-address=127.0.0.1:${group}`,
      `--wsrep-node-incoming-address=127.0.0.1:${sql}`,
      '--wsrep-sst-method=writesets_only',
      // The others exclude a missing node after 3 s. The default is 5, and a busy machine needs some time.
      `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};base_port=${group};` +
        `ist.recv_addr=127.0.0.1:${transfer};gcache.size=128M;evs.suspect_timeout=PT3S`,
    ];
    // A first run, which shuts down in order, saves the state that all nodes start with.
    const alone = await supervise({
      command: [...commandOf('alone', join(folder, 'data'), ports[0]!), FIRST],
      folder: await mkdtemp(join(folder, 'alone-')),
      signal: 'QUIT',
      probe: () => assertSynced(urlOf(ports[0]!)),
    });
    await alone.stop();
    await rm(join(folder, 'data/galera.cache'));
    for (const [index, own] of ports.entries()) {
      const name = `node-${index + 1}`;
      const data = join(folder, name, 'data');
      await cp(join(folder, 'data'), data, { recursive: true });
      const command = commandOf(name, data, own);
      const node = new SupervisedNode({
        folder: join(folder, name),
        url: urlOf(own),
        command: async (again) => {
          if (!again) {
            return index === 0 ? [...command, FIRST] : command;
          }
          if (await isInHistory(data)) {
            return [...command, `--wsrep-start-position=${await recoveredPosition(command, folder)}`];
          }
          const donor = (index + 1) % NODES;
          await copyData(nodes[donor]!, join(folder, `node-${donor + 1}`), data);
          return command;
        },
        probe: () => assertSynced(urlOf(own)),
        join: async () => undefined,
      });
      nodes.push(node);
      // One after another: two nodes that joined at the same time took 11 s, one takes 1 s (2026-11-21).
      await node.start();
    }
    return { kind: 'galera', origin: binaries.origin, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gives a node the data of another one, which must not run meanwhile. */
async function copyData(donor: SupervisedNode, donorFolder: string, data: string): Promise<void> {
  const connection = await mysql.createConnection(donor.url);
  await connection.query('SHUTDOWN');
  connection.destroy();
  await waitUntilGone(() => access(`${donorFolder}.pid`));
  await rm(data, { recursive: true });
  await cp(join(donorFolder, 'data'), data, {
    recursive: true,
    filter: (source) => basename(source) !== 'galera.cache',
  });
  await donor.restart();
}

async function freePorts(): Promise<Ports> {
  const host = '127.0.0.1';
  return { sql: await getPort({ host }), group: await getPort({ host }), transfer: await getPort({ host }) };
}

function urlOf({ sql }: Ports): string {
  return `mysql://root@127.0.0.1:${sql}`;
}

/** Whether the data of a node belong to the history of the cluster: they do not once they contradict the others. */
async function isInHistory(data: string): Promise<boolean> {
  return !/^uuid: +0{8}-/m.test(await readFile(join(data, 'grastate.dat'), 'utf8'));
}

/** The last position that a killed node has. Without it the node would ask for all data. */
async function recoveredPosition(command: readonly string[], folder: string): Promise<string> {
  const output = await run([...command, '--wsrep-recover'], '', folder);
  const position = /Recovered position: (\S+)/.exec(output)?.[1];
  if (!position) {
    throw new Error(`The node did not print its position:\n${output.slice(-2000)}`);
  }
  return position;
}

async function assertSynced(url: string): Promise<void> {
  const connection = await mysql.createConnection(url);
  try {
    const [rows] = await connection.query("SHOW STATUS LIKE 'wsrep_local_state_comment'");
    const [row] = rows as { Value: string }[];
    if (row?.Value === 'Inconsistent') {
      throw new NeverReadyError('The node has other data than the others.');
    }
    if (row?.Value !== 'Synced') {
      throw new Error(`The node is ${row?.Value}.`);
    }
  } finally {
    await connection.end();
  }
}
