import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type Ground, type NodeVersion, QUEUE_TASKS, type RoundTask, type SubjectPlan } from './subject-plan.js';

/** The entry of one peer in `peers/peers.json`. */
export interface Peer {
  readonly name: string;
  readonly package: string;
  readonly module: string;
  readonly ground: Ground;
  readonly node: NodeVersion;
  readonly share: number;
  readonly quick: boolean;
  readonly tasks?: readonly RoundTask[];
}

/** In the sources: what a peer consists of is not compiled. */
const FOLDER = fileURLToPath(new URL('../../bench/peers/', import.meta.url));

/** The peers, installed from their own lockfile where they are not yet. */
export async function peers(): Promise<SubjectPlan[]> {
  if (!existsSync(join(FOLDER, 'node_modules'))) {
    console.error('installing the peers …');
    await promisify(execFile)('npm', ['ci'], { cwd: FOLDER, maxBuffer: 64 * 1024 * 1024 });
  }
  const list = JSON.parse(await readFile(join(FOLDER, 'peers.json'), 'utf8')) as Peer[];
  return Promise.all(
    list.map(async (peer) => ({
      ...peer,
      tasks: peer.tasks ?? QUEUE_TASKS,
      module: join(FOLDER, peer.module),
      release: `${peer.package} ${await installedVersion(peer.package)}`,
    })),
  );
}

async function installedVersion(name: string): Promise<string> {
  const text = await readFile(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The Node.js to run a subject with. */
export function nodeFor(node: NodeVersion): string {
  return node === 'machine' ? process.execPath : join(FOLDER, `node_modules/node-${platform()}-${arch()}/bin/node`);
}
