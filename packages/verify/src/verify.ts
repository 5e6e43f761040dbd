import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClientPorts } from './connections.js';
import { chooseFaults } from './faults/choose-faults.js';
import { type VerifyOptions, resolveOptions } from './options.js';
import { FaultProxy } from './proxy/fault-proxy.js';
import { serverIn } from './proxy/proxied-options.js';
import { VerifyRun } from './run/verify-run.js';
import type { Verdict } from './verdict/verdict.js';

/**
 * Tests the guarantees of the queue on a database. It starts producers and workers as processes and injects faults.
 * Then it heals the faults, waits until all jobs have ended, and compares the database with the records of the
 * processes.
 *
 * It creates its own tables and drops them, also after an error or an abort. If it cannot drop them, it reports so.
 *
 * @returns the verdict. It does not throw if a guarantee is broken: check `isGood`.
 * @throws InvalidOptionError, UnknownOptionError, UnknownFaultError, OptionsNotPortableError if an option is wrong.
 * @throws ProcessDidNotStartError if a process does not start.
 * @throws NoAnswerError if the database does not answer a read of the verdict for two minutes.
 * @throws the error of the database if it cannot connect or create the tables, and the reason of `signal`.
 */
export async function verify(options: VerifyOptions): Promise<Verdict> {
  const resolved = resolveOptions(options);
  const { signal, server } = options;
  const target = serverIn(resolved.connection.options);
  const faults = chooseFaults(options.faults, {
    processes: true,
    connection: resolved.database !== 'better-sqlite3',
    proxy: target !== undefined,
    server: server !== undefined,
    clock: server?.shiftClock !== undefined,
  });
  signal?.throwIfAborted();
  const needsProxy = faults.some(({ needs }) => needs.includes('proxy'));
  const proxy = target && needsProxy ? new FaultProxy(target) : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tablequeue-verify-'));
  const ownPorts = new ClientPorts();
  let keepsFolder = false;
  try {
    await proxy?.open();
    const run = new VerifyRun({ options: resolved, folder, proxy, ownPorts, faults, server, signal });
    const verdict = await run.run();
    keepsFolder = !verdict.isGood;
    return keepsFolder ? { ...verdict, journals: folder } : verdict;
  } finally {
    await proxy?.close();
    ownPorts.stop();
    if (!keepsFolder) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
