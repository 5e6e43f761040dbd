import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** How long it is slow, in ms. */
const LASTS = { least: 1_000, most: 4_000 } as const;
/** How much longer everything takes each way, in ms. */
const DELAY = { least: 5, most: 150 } as const;
/** How much passes in a second, in bytes. */
const RATE = { least: 20_000, most: 500_000 } as const;

/** Makes the network slow for a while: everything arrives late, or little at a time. */
export const slowNetwork: Fault = {
  name: 'slow-network',
  needs: ['proxy', 'connection'],
  allows: ['delay'],
  async inject(scene, random, signal) {
    const length = random.whole(LASTS.least, LASTS.most);
    const isDelayed = random.chance(0.5);
    const amount = isDelayed ? random.whole(DELAY.least, DELAY.most) : random.whole(RATE.least, RATE.most);
    const open = scene.record('everyone', `${amount} ${isDelayed ? 'ms later' : 'bytes a second'} for ${length} ms`);
    if (isDelayed) {
      scene.proxy!.delay(amount);
    } else {
      scene.proxy!.throttle(amount);
    }
    await sleepUnlessEnded(length, signal);
    scene.proxy!.hurry();
    open.end();
  },
};
