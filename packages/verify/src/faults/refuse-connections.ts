import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** How long there is no way to the server, in ms. */
const LASTS = { least: 300, most: 3_000 } as const;

/** Breaks all connections and refuses new ones for a while: the database is away. */
export const refuseConnections: Fault = {
  name: 'refuse-connections',
  needs: ['proxy', 'connection'],
  allows: ['rerun', 'delay'],
  async inject(scene, random, signal) {
    const length = random.whole(LASTS.least, LASTS.most);
    const open = scene.record('everyone', `no connections for ${length} ms`);
    const stop = scene.proxy!.refuse();
    scene.proxy!.cut();
    await sleepUnlessEnded(length, signal);
    stop();
    open.end();
  },
};
