import type { Fault } from './fault.js';

/** How far the clock is off, in hours. */
const HOURS = [-26, -3, 3, 26] as const;
const SHIFT = new URL('../../dist/processes/shift-date.js', import.meta.url);

/**
 * Replaces a worker, in order, by one whose clock is hours off. Neither may be noticed: a worker that stops hands its jobs
 * back or ends them, and the clock that counts is the database's.
 */
export const wrongClock: Fault = {
  name: 'wrong-clock',
  needs: ['processes'],
  allows: [],
  async inject(scene, random) {
    const hours = random.pick(HOURS);
    const victim = scene.pickProcess('worker', (all) => random.pick(all));
    if (!victim) {
      return;
    }
    const shift = new URL(SHIFT);
    shift.searchParams.set('hours', String(hours));
    const record = scene.record([victim.name], `is replaced by a worker whose clock is ${hours} h off`);
    await scene.processes.replace(victim, [shift.href]);
    record.end();
  },
};
