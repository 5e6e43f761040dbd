import { DataSource } from 'typeorm';

import { sleepUnlessAborted } from '../timing.js';
import type { FaultContext } from './fault-context.js';
import type { Fault } from './fault.js';
import { runExclusively } from './server-faults.js';

/** How long the server keeps its commits in memory before it is killed, in ms. */
const IN_MEMORY = { least: 400, most: 2_500 } as const;

/**
 * Lets the server keep its last commits in memory and kills it, as `innodb_flush_log_at_trx_commit` other than 1 does
 * at a failure. The tables are then as they were some time before, although the commits were confirmed.
 */
export const loseCommits: Fault = {
  name: 'lose-commits',
  needs: ['server', 'connection'],
  // The server rolls back interrupted transactions while it runs again, so their rows are locked.
  allows: ['rerun', 'delay', 'order', 'loss'],
  async inject(context, random, signal) {
    const length = random.integer(IN_MEMORY.least, IN_MEMORY.most);
    await runExclusively(context.server!, async () => {
      if (!signal.aborted) {
        await loseCommitsOf(context, length, signal);
      }
    });
  },
};

async function loseCommitsOf(context: FaultContext, length: number, signal: AbortSignal): Promise<void> {
  const server = context.server!;
  const type = context.database === 'mysql' ? 'mysql' : 'mariadb';
  const admin = await new DataSource({ type, url: server.adminUrl, poolSize: 1 }).initialize();
  const active = context.begin('everyone', `the server loses its commits of up to ${length} ms`);
  try {
    try {
      await admin.query('SET GLOBAL innodb_flush_log_at_timeout = 10');
      // A thread of MySQL would write the log all the time. Older servers have no such thread.
      await admin.query('SET GLOBAL innodb_log_writer_threads = OFF').catch(() => undefined);
      await admin.query('SET GLOBAL innodb_flush_log_at_trx_commit = 0');
      await sleepUnlessAborted(length, signal);
    } finally {
      // The settings of its start apply again after that.
      await server.kill();
      await server.start();
    }
  } finally {
    active.end();
    await admin.destroy().catch(() => undefined);
  }
}

/** How long the clock is wrong, in ms, and by how many hours. */
const WRONG = { least: 2_000, most: 6_000, hours: [3, 26] } as const;

function clockJump(name: string, direction: 1 | -1): Fault {
  return {
    name,
    needs: ['server', 'clock', 'connection'],
    // Leases end at once, or last for too long. Jobs are in the order of the clock.
    allows: ['rerun', 'delay', 'order', 'clock'],
    async inject(context, random, signal) {
      const length = random.integer(WRONG.least, WRONG.most);
      const hours = direction * random.pick(WRONG.hours)!;
      await runExclusively(context.server!, async () => {
        if (signal.aborted) {
          return;
        }
        const active = context.begin('everyone', `the clock of the server jumps by ${hours} h for ${length} ms`);
        try {
          await context.server!.shiftClock!(hours * 3_600_000);
          await sleepUnlessAborted(length, signal);
        } finally {
          await context.server!.shiftClock!(0);
          active.end();
        }
      });
    },
  };
}

/** Sets the server's clock ahead by hours, and back after some seconds. */
export const clockAhead = clockJump('clock-ahead', 1);

/** Sets the server's clock back by hours, and ahead after some seconds. */
export const clockBehind = clockJump('clock-behind', -1);
