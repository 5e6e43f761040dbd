import { setTimeout as sleep } from 'node:timers/promises';

import type { Fault } from './fault.js';

/** Blocks the event loop of a worker for longer than its lease, as a handler does that computes without `await`. */
export const blockEventLoop: Fault = {
  name: 'block-event-loop',
  needs: ['processes'],
  allows: ['rerun', 'delay'],
  async inject(context, random) {
    const ms = Math.round(context.lease * (1.2 + 0.5 * random.next()));
    const victim = context.pickProcess('worker', random);
    if (!victim) {
      return;
    }
    const active = context.begin([victim.name], `its event loop is blocked for ${ms} ms`);
    victim.send({ type: 'block', ms });
    // A blocked process receives no message that could end it early.
    await Promise.race([sleep(ms), victim.ended]);
    active.end();
  },
};
