import { type Schedule, type ScheduleOptions, defineJob } from '@tablequeue/typeorm';

import type { Workbench } from './workbench.js';

export const report = defineJob<{ kind: string }>('report', { queue: 'reports' });
export const sweep = defineJob('sweep');
export const MINUTE = 60_000;

export function setSweep(bench: Workbench, options: ScheduleOptions): Promise<void> {
  return bench.queue.recurring.set('sweep', sweep, undefined, options);
}

export async function schedule(bench: Workbench, name = 'sweep'): Promise<Schedule> {
  return (await bench.queue.recurring.list()).find((each) => each.name === name)!;
}

export async function nextTick(bench: Workbench): Promise<number> {
  return (await schedule(bench)).nextFireAt!.getTime();
}

export async function databaseTime(bench: Workbench): Promise<number> {
  const [row] = await bench.dataSource.query(`SELECT ${bench.queue.engine.dialect.now.sql} AS present`);
  return Number(row.present);
}

/** Puts the clock to a time, which has to be a later one. */
export async function putClockTo(bench: Workbench, time: number): Promise<void> {
  bench.clock.advance(time - (await databaseTime(bench)));
}

/** Moves the next tick into the past, as if no process had run since. */
export async function missSince(bench: Workbench, ticks: number, every: number): Promise<number> {
  const first = (await nextTick(bench)) - ticks * every;
  await bench.dataSource.query('UPDATE tq_schedule SET next_fire_at = ?', [first]);
  return first;
}

/** The ticks whose jobs were enqueued, in ms. */
export async function fired(bench: Workbench): Promise<number[]> {
  return (await bench.liveJobs()).map(({ runAt }) => runAt).sort((a, b) => a - b);
}
