import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { PrismaTransaction } from '@tablequeue/typeorm/prisma';

/** The members of a generated client that the tests use. */
export interface PrismaClient {
  $transaction<T>(work: (tx: PrismaTransaction) => Promise<T>, options?: { readonly timeout: number }): Promise<T>;
  $disconnect(): Promise<void>;
}

interface GeneratedClient {
  readonly PrismaClient: new (options: object) => PrismaClient;
  /** To be removed after the tests. */
  readonly folder: string;
}

const SCHEMA = `
generator client {
  provider = "prisma-client-js"
  output   = "./client"
}
datasource db {
  provider = "mysql"
}
model Note {
  id   Int    @id
  text String
}
`;

/**
 * Generates a client of Prisma, whose types belong to an application. The generator must be able to find
 * `@prisma/client` above its output.
 */
export async function generatePrismaClient(): Promise<GeneratedClient> {
  const dist = fileURLToPath(new URL('../dist/', import.meta.url));
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(`${dist}prisma-`);
  await writeFile(`${folder}/schema.prisma`, SCHEMA);
  const require = createRequire(import.meta.url);
  const program = require.resolve('prisma/build/index.js');
  await promisify(execFile)(process.execPath, [program, 'generate', '--schema', 'schema.prisma'], {
    cwd: folder,
    // The generator does not use the schema engine, but downloads it if no path is set.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
  });
  const { PrismaClient } = require(`${folder}/client/index.js`) as Pick<GeneratedClient, 'PrismaClient'>;
  return { PrismaClient, folder };
}
