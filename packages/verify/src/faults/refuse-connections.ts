import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';

/** How long the server is unreachable, in ms. */
const DURATION = { least: 300, most: 3_000 } as const;

/** Breaks all connections and refuses new ones for some time, as if the database were unavailable. */
export const refuseConnections: Fault = {
  name: 'refuse-connections',
  needs: ['proxy', 'connection'],
  allows: ['rerun', 'delay'],
  async inject(context, random, signal) {
    const length = random.integer(DURATION.least, DURATION.most);
    const active = context.begin('everyone', `no connections for ${length} ms`);
    const stop = context.proxy!.refuse();
    context.proxy!.cut();
    await sleepUnlessAborted(length, signal);
    stop();
    active.end();
  },
};
