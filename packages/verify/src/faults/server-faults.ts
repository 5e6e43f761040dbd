import { DataSource } from 'typeorm';

import { sleepUnlessAborted } from '../timing.js';
import type { FaultContext } from './fault-context.js';
import type { Fault } from './fault.js';
import type { ServerControl } from './server-control.js';

const inProgress = new WeakMap<ServerControl, Promise<void>>();

/** Runs the faults of one server one after another: a stopped server can be neither filled nor killed. */
export async function runExclusively(server: ServerControl, inject: () => Promise<void>): Promise<void> {
  const previous = inProgress.get(server) ?? Promise.resolve();
  const current = previous.then(inject);
  inProgress.set(
    server,
    current.catch(() => undefined),
  );
  await current;
}

/**
 * A fault of the server.
 *
 * @param duration how long it lasts, in ms.
 * @param harm harms the server until `waitForEnd` resolves, and then heals it.
 */
function serverFault(
  name: string,
  duration: { readonly least: number; readonly most: number },
  harm: (context: FaultContext, length: number, waitForEnd: () => Promise<void>) => Promise<void>,
): Fault {
  return {
    name,
    needs: ['server', 'connection'],
    allows: ['rerun', 'delay'],
    async inject(context, random, signal) {
      const length = random.integer(duration.least, duration.most);
      await runExclusively(context.server!, async () => {
        if (!signal.aborted) {
          await harm(context, length, () => sleepUnlessAborted(length, signal));
        }
      });
    },
  };
}

function kill(name: string, downtime: { readonly least: number; readonly most: number }): Fault {
  return serverFault(name, downtime, async (context, length, waitForEnd) => {
    const active = context.begin('everyone', `the server is killed and started again after ${length} ms`);
    try {
      await context.server!.kill();
      await waitForEnd();
    } finally {
      await context.server!.start();
      active.end();
    }
  });
}

/** Kills the server and starts it again. The server must be configured to lose no commit. */
export const killServer = kill('kill-server', { least: 0, most: 1_000 });

/** The same with a long downtime, as after a failure of the machine. */
export const slowRestart = kill('slow-restart', { least: 10_000, most: 13_000 });

/** Fewer connections than a run has. It is the minimum of the servers. */
const FEW_CONNECTIONS = 10;
/** ER_LOCK_WAIT_TIMEOUT */
const LOCK_WAIT_TIMEOUT = 1205;

/** A change of the server's settings. */
interface Change {
  apply(): Promise<unknown>;
  /** Also after `apply` has failed half-way. */
  revert(): Promise<unknown>;
}

function setting(
  name: string,
  detail: string,
  createChange: (admin: DataSource, context: FaultContext) => Change | Promise<Change>,
): Fault {
  return serverFault(name, { least: 500, most: 3_000 }, async (context, length, waitForEnd) => {
    const type = context.database === 'mysql' ? 'mysql' : 'mariadb';
    const admin = await new DataSource({ type, url: context.server!.adminUrl, poolSize: 1 }).initialize();
    const active = context.begin('everyone', `${detail} for ${length} ms`);
    try {
      const change = await createChange(admin, context);
      try {
        await change.apply();
        await waitForEnd();
      } finally {
        await change.revert();
      }
    } finally {
      active.end();
      await admin.destroy();
    }
  });
}

/**
 * Makes the server reject all writes, as a demoted primary does. MariaDB accepts writes from accounts with the
 * privilege READ ONLY ADMIN.
 */
export const readOnlyServer = setting('read-only-server', 'the server is read-only', (admin, { database }) => ({
  apply: () => rejectWrites(admin, database === 'mysql' ? 'super_read_only' : 'read_only'),
  revert: () => admin.query('SET GLOBAL read_only = 0'),
}));

/**
 * The server waits for running writes and blocks new ones meanwhile. If a running write waits for a row of a blocked
 * transaction, both wait until `innodb_lock_wait_timeout` (50 s). This occurred in 1 of 100 attempts on MySQL 9.7. So
 * this gives up after a second, which unblocks everyone, and tries again.
 */
async function rejectWrites(admin: DataSource, variable: string): Promise<void> {
  await admin.query('SET SESSION lock_wait_timeout = 1');
  for (;;) {
    try {
      await admin.query(`SET GLOBAL ${variable} = 1`);
      return;
    } catch (error) {
      if ((error as { readonly errno?: unknown }).errno !== LOCK_WAIT_TIMEOUT) {
        throw error;
      }
    }
  }
}

/**
 * Leaves the server few connections, and ends the connections that use a database. The internal connections of a server
 * or a replication group use none.
 */
export const fullServer = setting('full-server', 'the server has few connections left', async (admin) => {
  const [{ most }] = (await admin.query('SELECT @@max_connections AS most')) as [{ most: number | string }];
  return {
    apply: async () => {
      await admin.query(`SET GLOBAL max_connections = ${FEW_CONNECTIONS}`);
      await endConnections(admin);
    },
    revert: () => admin.query(`SET GLOBAL max_connections = ${Number(most)}`),
  };
});

async function endConnections(admin: DataSource): Promise<void> {
  const [own] = (await admin.query('SELECT CONNECTION_ID() AS id')) as { readonly id: number | string }[];
  const sessions = (await admin.query('SHOW PROCESSLIST')) as { readonly Id: number | string; readonly db: unknown }[];
  for (const { Id } of sessions.filter(({ Id: id, db }) => db !== null && Number(id) !== Number(own?.id))) {
    // The connection may have ended meanwhile.
    await admin.query(`KILL ${Number(Id)}`).catch(() => undefined);
  }
}
