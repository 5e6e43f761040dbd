import type { Fault } from './fault.js';

/** How far the clock is off, in hours. */
const HOURS = [-26, -3, 3, 26] as const;
const SHIFT = new URL('../../dist/processes/shift-date.js', import.meta.url);

/**
 * Stops a worker in order and replaces it by one whose clock is hours off. This has no visible effect: a worker that
 * stops completes or returns its jobs, and only the clock of the database counts.
 */
export const wrongClock: Fault = {
  name: 'wrong-clock',
  needs: ['processes'],
  allows: [],
  async inject(context, random) {
    const hours = random.pick(HOURS);
    const victim = context.pickProcess('worker', random);
    if (!victim) {
      return;
    }
    const shift = new URL(SHIFT);
    shift.searchParams.set('hours', String(hours));
    const active = context.begin([victim.name], `is replaced by a worker whose clock is ${hours} h off`);
    await context.processes.replace(victim, [shift.href]);
    active.end();
  },
};
