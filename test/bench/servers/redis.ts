import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';

import { obtainPackage } from '../../servers/debian.js';
import { supervise } from '../../servers/supervise.js';
import { versionOf } from '../../servers/version-of.js';
import type { BenchServer } from './bench-server.js';

const PERSISTENCE = {
  'nothing persisted': ['--save', '', '--appendonly', 'no'],
  'fsync always': ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
};

/** What survives of a job when the server dies. */
export type RedisSetting = keyof typeof PERSISTENCE;

const WANTED = /\bv=((?:[7-9]|\d\d)\.\S+)/;

/** Starts Redis without any data. */
export async function startRedis(setting: RedisSetting, log: (message: string) => void): Promise<BenchServer> {
  const { command, version } = await obtainRedis(log);
  const folder = await mkdtemp(join(tmpdir(), 'tablequeue-redis-'));
  const port = await getPort({ host: '127.0.0.1' });
  const running = await supervise({
    command: [...command, '--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...PERSISTENCE[setting]],
    folder,
    signal: 'KILL',
    probe: () => assertListening(port),
  });
  return { url: `redis://127.0.0.1:${port}`, version, ...running };
}

/** An installed one, or else Debian's. */
async function obtainRedis(log: (message: string) => void): Promise<{ command: readonly string[]; version: string }> {
  const installed = await versionOf(['redis-server'], WANTED);
  if (installed) {
    return { command: ['redis-server'], version: installed };
  }
  const unpacked = await obtainPackage('bookworm', 'redis-server', log);
  const command = unpacked && [...unpacked.launcher, join(unpacked.root, 'usr/bin/redis-server')];
  const version = command && (await versionOf(command, WANTED));
  if (!command || !version) {
    throw new Error("There is no Redis: none is installed, and Debian's package cannot be had.");
  }
  return { command, version };
}

/** Redis listens only when it is ready. */
async function assertListening(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
