import { setTimeout as sleep } from 'node:timers/promises';

import type { Fault } from './fault.js';

/** Keeps the event loop of a worker busy for longer than its lease, as a handler does that computes and never awaits. */
export const blockEventLoop: Fault = {
  name: 'block-event-loop',
  needs: ['processes'],
  allows: ['rerun', 'delay'],
  async inject(scene, random) {
    const ms = Math.round(scene.lease * (1.2 + 0.5 * random.next()));
    const victim = scene.pickProcess('worker', (all) => random.pick(all));
    if (!victim) {
      return;
    }
    const record = scene.record([victim.name], `nothing else happens in it for ${ms} ms`);
    victim.tell({ tell: 'block', ms });
    // It cannot be called off: who is blocked hears nothing.
    await Promise.race([sleep(ms), victim.ended]);
    record.end();
  },
};
