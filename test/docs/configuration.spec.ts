import { readFile } from 'node:fs/promises';

import { beforeAll, expect, test } from '@jest/globals';
import { TableQueueModule } from '@tablequeue/nestjs';
import { TableQueue, UnknownOptionError, defineJob } from '@tablequeue/typeorm';
import { QUEUE_OPTIONS, WORKER_OPTIONS } from '@tablequeue/typeorm/internal';
import type { DataSource } from 'typeorm';
import { useDatabase } from '../support/use-database.js';

const text = await readFile(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8');
const job = defineJob('job');
/** An option that does not exist: the error lists those that do. */
const unknown = { nothing: true } as never;

let dataSource: DataSource;
let queue: TableQueue;
const database = useDatabase('sqlite');
beforeAll(async () => {
  dataSource = await database.connect();
  queue = new TableQueue(dataSource);
});

/** The options that a call knows, from the error that it throws. */
async function knownBy(call: () => unknown): Promise<readonly string[]> {
  try {
    await call();
  } catch (error) {
    if (error instanceof UnknownOptionError) {
      return error.known;
    }
    throw error;
  }
  throw new Error('The call accepts every option.');
}

/** The names in the first column of the table below a heading. */
function rowsOf(heading: string): string[] {
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [table = ''] = /^\|.*(?:\n\|.*)*/m.exec(section) ?? [];
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
}

test.each<[heading: string, prefix: string, known: () => Promise<readonly string[]>]>([
  ['Job definition', '', () => knownBy(() => defineJob('job', unknown))],
  ['Job definition', 'retry.', () => knownBy(() => defineJob('job', { retry: unknown }))],
  ['Enqueue', '', () => knownBy(() => queue.enqueue(job, undefined, unknown))],
  ['Unique', '', () => knownBy(() => defineJob('job', { unique: unknown }))],
  ['Queue', '', async () => QUEUE_OPTIONS],
  ['Worker', '', async () => WORKER_OPTIONS],
  ['Schedule', '', () => knownBy(() => queue.recurring.set('job', job, undefined, unknown))],
  ['Limits of a queue', '', () => knownBy(() => queue.control.limit('default', unknown))],
])('%s of docs/reference/configuration.md lists the options %s…', async (heading, prefix, known) => {
  const rows = rowsOf(heading);
  const listed = (name: string) => rows.some((row) => row === name || row.startsWith(`${name}.`));
  const missing = (await known()).map((name) => prefix + name).filter((name) => !listed(name));
  expect(missing).toEqual([]);
});

test('Nest module of docs/reference/configuration.md lists the options of the module', async () => {
  const known = await knownBy(() => TableQueueModule.forRoot(unknown));
  const listed = new Set([...rowsOf('Nest module'), ...rowsOf('Queue'), ...rowsOf('Worker')]);
  expect(known.filter((name) => !listed.has(name))).toEqual([]);
});
