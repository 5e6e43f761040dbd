import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import mysql from 'mysql2/promise';

import { obtainServer } from '../servers/obtain-server.js';
import type { Ground } from './subject-plan.js';
import type { BenchServer } from './servers/bench-server.js';
import { startPostgres } from './servers/postgres.js';
import { startRedis } from './servers/redis.js';
import { untilAtRest } from './until-at-rest.js';

type Log = (message: string) => void;

/** The servers of a run, each started once and stopped together. */
export class Grounds {
  private readonly servers = new Map<Ground, BenchServer>();
  private folder: string | undefined;
  private databases = 0;

  constructor(private readonly log: Log) {}

  async start(grounds: readonly Ground[]): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'tablequeue-bench-'));
    const wanted = [...new Set(grounds)].filter((ground) => ground !== 'sqlite');
    const starting = wanted.map(async (ground) => {
      const server = await startServer(ground, this.log);
      this.log(`${ground}: ${server.version}`);
      this.servers.set(ground, server);
    });
    // All first: `stop` must find every server that runs, even if another has failed.
    await Promise.allSettled(starting);
    await Promise.all(starting);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.values()].map((server) => server.stop()));
    if (this.folder) {
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  /** A URL with a database of its own, so that no subject meets what another has left. */
  async place(ground: Ground): Promise<{ url: string; serverProcess: number | undefined }> {
    if (ground === 'sqlite') {
      return { url: join(this.folder ?? '', `${++this.databases}.sqlite`), serverProcess: undefined };
    }
    const server = this.servers.get(ground);
    if (!server) {
      throw new Error(`There is no ${ground} in this run.`);
    }
    const { url, processId: serverProcess } = server;
    if (ground !== 'mariadb' && ground !== 'mysql') {
      return { url, serverProcess };
    }
    const name = `bench_${++this.databases}`;
    const connection = await mysql.createConnection(url);
    await connection.query(`CREATE DATABASE ${name} DEFAULT CHARACTER SET utf8mb4`);
    await connection.end();
    return { url: `${url}/${name}`, serverProcess };
  }

  /** Waits until no server has anything to do: see `untilAtRest`. */
  rest(look?: number): Promise<number> {
    return untilAtRest(
      [...this.servers.values()].map(({ processId }) => processId),
      look,
    );
  }

  versions(): string[] {
    return [...this.servers].map(([ground, { version }]) => `${ground} ${version}`).toSorted();
  }
}

async function startServer(ground: Exclude<Ground, 'sqlite'>, log: Log): Promise<BenchServer> {
  switch (ground) {
    case 'postgres':
      return startPostgres(log);
    case 'redis':
      return startRedis('nothing persisted', log);
    case 'redis-fsync':
      return startRedis('fsync always', log);
    default: {
      const server = await obtainServer(ground, log, 'bench');
      if ('reason' in server) {
        throw new Error(`There is no ${ground}: ${server.reason}`);
      }
      const connection = await mysql.createConnection(server.url);
      const [[row]] = await connection.query<mysql.RowDataPacket[]>('SELECT VERSION() AS version');
      await connection.end();
      return { ...server, version: String(row?.version), processId: server.processId };
    }
  }
}
