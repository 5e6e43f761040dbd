import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { beforeAll, expect, jest, test } from '@jest/globals';

import { compileExamples, findExamples, useEngine } from '../docs/examples.js';
import { ChildProcess } from '../support/child-process.js';
import { createEmptyDatabase } from '../support/database.js';
import { callsInTables } from './calls-in-tables.js';
import { PEERS } from './install-peers.js';
import { useBullRedis } from './peers.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'guide';
const GUIDE = 'docs/guides/moving-from-bullmq.md';
/** Guides whose tables show calls. */
const GUIDES = [GUIDE, 'docs/guides/moving-from-pg-boss-or-sidequest.md'];

jest.setTimeout(120_000);

/** The programs with BullMQ. test/docs runs those without it. */
const programs = await findExamples(FOLDER, [GUIDE], 'typescript');
/** `queue.ts`, which they import. */
const connection = await findExamples(FOLDER, ['docs/guides/index.md']);

const bull = useBullRedis();

beforeAll(async () => {
  const pages = await Promise.all(GUIDES.map((guide) => readFile(join(ROOT, guide), 'utf8')));
  const code = callsInTables(pages.join('\n'));
  const calls = { code, file: join(ROOT, 'test/dist', FOLDER, 'out/calls-in-tables.js') };
  await compileExamples(FOLDER, [...programs, ...connection, calls], join(PEERS, 'node_modules'));
  await Promise.all(connection.map(({ file }) => useEngine(file, 'sqlite')));
});

test.each(programs)('$name prints what the guide shows', async ({ file, output }) => {
  const database = await createEmptyDatabase('sqlite');
  try {
    const program = ChildProcess.start(pathToFileURL(file), { REDIS_URL: bull.url, DATABASE_URL: database.url });
    await program.ended();
    expect(program.output).toBe(output);
  } finally {
    await database.drop();
  }
});
