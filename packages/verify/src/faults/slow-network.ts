import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';

/** How long it lasts, in ms. */
const DURATION = { least: 1_000, most: 4_000 } as const;
/** How much later data arrives, in each direction, in ms. */
const DELAY = { least: 5, most: 150 } as const;
/** How much data passes in a second, in bytes. */
const RATE = { least: 20_000, most: 500_000 } as const;

/** Makes the network slow for some time: data arrives late, or in small pieces. */
export const slowNetwork: Fault = {
  name: 'slow-network',
  needs: ['proxy', 'connection'],
  allows: ['delay'],
  async inject(context, random, signal) {
    const length = random.integer(DURATION.least, DURATION.most);
    const isDelayed = random.chance(0.5);
    const amount = isDelayed ? random.integer(DELAY.least, DELAY.most) : random.integer(RATE.least, RATE.most);
    const unit = isDelayed ? 'ms later' : 'bytes a second';
    const active = context.begin('everyone', `${amount} ${unit} for ${length} ms`);
    if (isDelayed) {
      context.proxy!.delay(amount);
    } else {
      context.proxy!.throttle(amount);
    }
    await sleepUnlessAborted(length, signal);
    context.proxy!.restoreSpeed();
    active.end();
  },
};
