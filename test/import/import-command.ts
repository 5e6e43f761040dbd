import { expect } from '@jest/globals';

import { type CommandResult, commandUrl, runHere } from '../support/command-line.js';
import type { TestDatabase } from '../support/database.js';
import { PEERS } from './install-peers.js';
import type { BullRedis } from './peers.js';

interface RemarkOfTest {
  readonly text: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/** What `import --json` prints. */
export interface Imported {
  readonly mode: string;
  readonly counts: readonly { readonly queue: string; readonly states: Readonly<Record<string, object>> }[];
  readonly refusals: readonly RemarkOfTest[];
  readonly notes: readonly RemarkOfTest[];
  readonly journaled: number;
}

/** Runs `tablequeue import` in this process. */
export function runImport(bull: BullRedis, database: TestDatabase, args: readonly string[]): Promise<CommandResult> {
  const all = ['import', '--from', 'bullmq', '--redis', bull.url, ...args];
  return runHere(all, { TABLEQUEUE_URL: commandUrl(database) }, PEERS);
}

/** Runs it with success, and returns what it has printed. */
export async function importAsJson(
  bull: BullRedis,
  database: TestDatabase,
  args: readonly string[],
): Promise<Imported> {
  const { out, err, code } = await runImport(bull, database, ['--json', ...args]);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  return JSON.parse(out) as Imported;
}
