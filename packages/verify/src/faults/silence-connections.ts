import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** A worker waits 5 s for an answer: some are given up meanwhile, and some hear everything late. */
const LASTS = { least: 1_000, most: 8_000 } as const;

/**
 * Lets some connections fall silent, in one direction or both, as after the loss of a route: nothing arrives, nobody is
 * told, and the server keeps their transactions open. What was on its way arrives at the end, also from clients that have
 * gone.
 */
export const silenceConnections: Fault = {
  name: 'silence-connections',
  needs: ['proxy', 'connection'],
  allows: ['rerun', 'delay'],
  async inject(scene, random, signal) {
    const length = random.whole(LASTS.least, LASTS.most);
    const direction = random.pick(['to server', 'to client', 'both'] as const)!;
    const hit = scene.proxy!.connections.filter(() => random.chance(0.4));
    const open = scene.record('everyone', `${hit.length} connections hear nothing (${direction}) for ${length} ms`);
    hit.forEach((connection) => connection.silence(direction));
    await sleepUnlessEnded(length, signal);
    hit.forEach((connection) => connection.heal());
    open.end();
  },
};
