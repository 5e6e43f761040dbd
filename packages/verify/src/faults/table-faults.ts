import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { sleepUnlessAborted } from '../timing.js';
import { setLimits } from '../workload/limits.js';
import type { ActiveFault, FaultContext } from './fault-context.js';
import type { Fault } from './fault.js';

/** How many leases a statement waits at most for the metadata lock of a table. Other statements wait behind it. */
const LEASES = 1.5;
/** The tables that workers need: one for their jobs, one for their leases. */
const BUSY_TABLES = ['job', 'worker'] as const;
/** ER_LOCK_WAIT_TIMEOUT; and ER_LOCK_DEADLOCK, with which a node of Galera ends transactions in the way of others. */
const LOST_LOCK = new Set([1205, 1213]);

/**
 * Keeps a transaction open that has read a table, and lets an ALTER TABLE or a LOCK TABLES wait for it, as migrations
 * and backups do. Every other statement on that table waits behind it.
 */
export const metadataLock: Fault = {
  name: 'metadata-lock',
  needs: ['connection'],
  allows: ['rerun', 'delay'],
  async inject(context, random, signal) {
    const table = `${context.tables.prefix}${random.pick(BUSY_TABLES)!}`;
    const seconds = random.integer(1, Math.ceil((LEASES * context.lease) / 1000));
    const isAlter = random.chance(0.5);
    const statement = isAlter ? `ALTER TABLE ${table} COMMENT = 'x'` : `LOCK TABLES ${table} WRITE`;
    const sessions: DataSource[] = [];
    let active: ActiveFault | undefined;
    const connect = async () => {
      const session = await context.connect();
      sessions.push(session);
      await session.query(`SET SESSION lock_wait_timeout = ${seconds}`);
      return session;
    };
    try {
      const [holder, waiter] = [await connect(), await connect()];
      active = context.begin('everyone', `${statement} waits for a transaction for ${seconds} s, and then for others`);
      await holder
        .transaction(async (manager) => {
          await manager.query(`SELECT 1 FROM ${table} LIMIT 1`);
          // It gives up, because this transaction ends after it, and transactions of the producers are open too.
          await tryFor(context, waiter, seconds, statement);
        })
        // The transaction itself waits for the lock of another such fault.
        .catch(throwUnlessLocked);
      if (!signal.aborted) {
        // The same without the transaction: it may get its lock, and keep it.
        await tryFor(context, waiter, seconds, statement);
      }
      await sleepUnlessAborted(random.integer(0, 1_000), signal);
      await waiter.query('UNLOCK TABLES');
    } finally {
      active?.end();
      await Promise.all(sessions.map((session) => session.destroy()));
    }
  },
};

/**
 * Gives a statement so many seconds to get the lock of its table. If the server's clock is set back meanwhile, its own
 * timeout ends hours later, so the statement is also killed.
 */
async function tryFor(context: FaultContext, session: DataSource, seconds: number, statement: string): Promise<void> {
  const end = async (id: number | string) => {
    const other = await context.connect();
    try {
      await other.query(`KILL QUERY ${Number(id)}`);
    } finally {
      await other.destroy();
    }
  };
  let killing: NodeJS.Timeout | undefined;
  try {
    await session.query(`SET SESSION lock_wait_timeout = ${seconds}`);
    const [{ id }] = (await session.query('SELECT CONNECTION_ID() AS id')) as [{ id: number | string }];
    // It may have ended meanwhile, or the server.
    killing = setTimeout(() => void end(id).catch(() => undefined), 2_000 * seconds);
    await session.query(statement);
  } catch {
    // It did not get the lock, or a fault of the server has ended the session.
  } finally {
    clearTimeout(killing);
  }
}

function throwUnlessLocked(error: unknown): void {
  if (!LOST_LOCK.has(Number((error as { readonly errno?: unknown }).errno))) {
    throw error;
  }
}

/** The tables beside those of jobs and groups. */
const BOOKKEEPING = [
  'maintenance',
  'worker',
  'cancellation',
  'queue',
  'tenant_rate',
  'lock',
  'throughput',
  'audit',
  'error',
  'key',
] as const;
/** How long a TRUNCATE waits for open transactions, in seconds. */
const TRUNCATE_WAIT = 1;
/** How long after a failure the limits are set again, in ms. */
const RETRY_DELAY = 200;
/** For how many leases that is tried. The longest restart of a server takes fewer. */
const RETRY_LEASES = 12;

/**
 * Empties the tables beside those of jobs and groups, while workers live. The limits of queues are set again at once,
 * as people do: they are stored nowhere else.
 */
export const truncateTables: Fault = {
  name: 'truncate-tables',
  needs: ['connection'],
  allows: ['rerun', 'delay', 'order', 'limits'],
  async inject(context, random, signal) {
    const dataSource = await context.connect();
    const active = context.begin('everyone', `TRUNCATE of ${BOOKKEEPING.join(', ')}`);
    try {
      for (const table of random.shuffle(BOOKKEEPING)) {
        if (!signal.aborted) {
          // Unless another transaction has it open. A fault of the server may hide that it is empty.
          await tryFor(context, dataSource, TRUNCATE_WAIT, `TRUNCATE TABLE ${context.tables.prefix}${table}`);
          if (table === 'queue') {
            await restoreLimits(dataSource, context);
          }
        }
        await sleepUnlessAborted(random.integer(0, 100), signal);
      }
    } finally {
      active.end();
      await dataSource.destroy();
    }
  },
};

/** @throws the last error if the limits cannot be set in time. */
async function restoreLimits(dataSource: DataSource, { processes, lease }: FaultContext): Promise<void> {
  const deadline = performance.now() + RETRY_LEASES * lease;
  for (;;) {
    try {
      await setLimits(new TableQueue(dataSource), processes.producers);
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw error;
      }
      await sleep(RETRY_DELAY);
    }
  }
}
