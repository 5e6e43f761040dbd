import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueJob } from '@tablequeue/typeorm';

import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';

/** How often the snapshot is checked, in ms. It is gone after a restart of the server. */
const CHECK_INTERVAL = 500;

/**
 * Keeps a snapshot open during the whole run, as a backup does. The server then purges no deleted rows, so a query from
 * the head of a queue reads every row that was ever in it. This must have no visible effect. If another fault ends the
 * snapshot, a new one is opened.
 */
export const openSnapshot: Fault = {
  name: 'open-snapshot',
  needs: ['connection'],
  allows: [],
  when: 'once',
  async inject(context, _random, signal) {
    const dataSource = await context.connect();
    const active = context.begin('everyone', 'a transaction keeps its snapshot open until the end of the load');
    let wasOpen = false;
    try {
      while (!signal.aborted) {
        await dataSource
          .transaction('REPEATABLE READ', async (manager) => {
            await manager.countBy(TableQueueJob, {});
            wasOpen = true;
            while (!signal.aborted) {
              await sleepUnlessAborted(CHECK_INTERVAL, signal);
              await manager.query('SELECT 1');
            }
          })
          .catch((error: unknown) => {
            if (!wasOpen) {
              throw error;
            }
            return sleep(CHECK_INTERVAL);
          });
      }
    } finally {
      active.end();
      await dataSource.destroy();
    }
  },
};
