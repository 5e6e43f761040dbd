import type { ActionOptions } from '@tablequeue/typeorm';

import { ApiProblem } from '../api/api-problem.error.js';
import { type Route, route } from '../api/route.js';
import { SchedulePage, ScheduleRow } from '../contract/index.js';
import { described, integer, text } from '../contract/json-schema.js';
import type { Database } from '../databases/database.registry.js';
import { schedulePage, scheduleRows } from './schedule-rows.js';

const PAGE = 50;

export const listSchedules = route({
  name: 'listSchedules',
  method: 'GET',
  path: 'schedules',
  summary: 'The schedules, page by page, by name',
  query: {
    optional: {
      contains: described(text(128), 'only schedules whose name contains this, in any case'),
      cursor: described(text(128), 'the `next` of the previous page: only schedules with a later name'),
      limit: described(integer(1, 100), `schedules per page; default: ${PAGE}`),
    },
  },
  response: SchedulePage,
  run: ({ database: { queue, reads }, query: { limit = PAGE, ...rest } }) => {
    const filter = { ...rest, limit };
    return reads.getOrRead(['schedules', filter], () => schedulePage(queue, filter));
  },
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
      const read = async () => {
        // A server may ignore spaces at the end.
        const row = (await scheduleRows(database.queue, [schedule])).find(({ name }) => name === schedule);
        if (!row) {
          throw new ApiProblem('not-found', `There is no schedule "${schedule}".`, 'schedule');
        }
        return row;
      };
      await read();
      await act(database, schedule, { by: caller.name });
      return read();
    },
  });
}
