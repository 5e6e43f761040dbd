import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueueJob } from '@tablequeue/typeorm';

import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** How often it is looked whether the snapshot is still there, in ms: a server that was down has forgotten it. */
const LOOK = 500;

/**
 * Holds one snapshot open throughout, as a backup does: the server purges nothing that was deleted since, so whoever reads
 * a queue from its head reads all that has ever been in it. Nothing may come of it. Where another fault has ended it, it
 * is opened again.
 */
export const openSnapshot: Fault = {
  name: 'open-snapshot',
  needs: ['connection'],
  allows: [],
  when: 'once',
  async inject(scene, _random, signal) {
    const dataSource = await scene.connect();
    const record = scene.record('everyone', 'a transaction that has read keeps its snapshot to the end');
    let wasOpen = false;
    try {
      while (!signal.aborted) {
        await dataSource
          .transaction('REPEATABLE READ', async (manager) => {
            await manager.countBy(TableQueueJob, {});
            wasOpen = true;
            while (!signal.aborted) {
              await sleepUnlessEnded(LOOK, signal);
              await manager.query('SELECT 1');
            }
          })
          .catch((error: unknown) => {
            if (!wasOpen) {
              throw error;
            }
            return sleep(LOOK);
          });
      }
    } finally {
      record.end();
      await dataSource.destroy();
    }
  },
};
