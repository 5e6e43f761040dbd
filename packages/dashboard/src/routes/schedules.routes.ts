import type { ActionOptions } from '@tablequeue/typeorm';

import { ApiProblem } from '../api/api-problem.error.js';
import { type Route, route } from '../api/route.js';
import { ScheduleRow } from '../contract/index.js';
import { described, listOf, text } from '../contract/json-schema.js';
import type { Database } from '../databases/database.registry.js';
import { scheduleRows } from './schedule-rows.js';

export const listSchedules = route({
  name: 'listSchedules',
  method: 'GET',
  path: 'schedules',
  summary: 'All schedules, by name',
  response: listOf(ScheduleRow),
  run: ({ database: { queue, reads } }) => reads.getOrRead(['schedules'], () => scheduleRows(queue)),
});

export const runSchedule = scheduleAction({
  name: 'runSchedule',
  verb: 'run',
  summary: 'Enqueue a job of a schedule now',
  conflict: 'Its last job has not ended, and the schedule does not allow overlapping jobs.',
  act: async ({ queue }, schedule, by) => {
    if (!(await queue.recurring.fireNow(schedule, by))) {
      const detail = `The last job of "${schedule}" has not ended, and the schedule does not allow overlapping jobs.`;
      throw new ApiProblem('conflict', detail, 'schedule');
    }
  },
});

export const pauseSchedule = scheduleAction({
  name: 'pauseSchedule',
  verb: 'pause',
  summary: 'Pause a schedule',
  act: ({ queue }, schedule, by) => queue.recurring.pause(schedule, by),
});

export const resumeSchedule = scheduleAction({
  name: 'resumeSchedule',
  verb: 'resume',
  summary: 'Resume a schedule',
  act: ({ queue }, schedule, by) => queue.recurring.resume(schedule, by),
});

/** The differences between the actions on a schedule. */
interface ScheduleAction extends Pick<Route, 'name' | 'summary'> {
  readonly verb: 'run' | 'pause' | 'resume';
  /** The cause of status 409. */
  readonly conflict?: string;
  readonly act: (database: Database, schedule: string, by: ActionOptions) => Promise<unknown>;
}

/** Makes the route of an action on a schedule. It responds with the schedule as it is after the action. */
function scheduleAction({ verb, conflict, act, ...definition }: ScheduleAction): Route {
  return route({
    ...definition,
    method: 'POST',
    path: `schedules/:schedule/${verb}`,
    params: { schedule: described(text(128), 'the name of the schedule') },
    response: ScheduleRow,
    problems: { 404: 'There is no such schedule.', ...(conflict !== undefined && { 409: conflict }) },
    run: async ({ database, params: { schedule }, caller }) => {
      const missing = () => new ApiProblem('not-found', `There is no schedule "${schedule}".`, 'schedule');
      const schedules = await database.queue.recurring.list();
      if (!schedules.some(({ name }) => name === schedule)) {
        throw missing();
      }
      await act(database, schedule, { by: caller.name });
      const changed = (await scheduleRows(database.queue)).find(({ name }) => name === schedule);
      if (!changed) {
        throw missing();
      }
      return changed;
    },
  });
}
