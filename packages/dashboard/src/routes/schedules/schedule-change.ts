import type { ActionOptions } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.js';
import { type Route, route } from '../../api/route.js';
import type { ScheduleRow } from '../../contract/index.js';
import type { Database } from '../../databases.js';
import { described, ref, text } from '../../schema/json-schema.js';
import { scheduleRows } from './schedule-rows.js';

/** What differs between the things that are done with a schedule. */
interface ScheduleChange extends Pick<Route, 'name' | 'summary'> {
  readonly verb: 'run' | 'pause' | 'resume';
  /** When it answers 409. */
  readonly conflict?: string;
  readonly change: (database: Database, schedule: string, by: ActionOptions) => Promise<void>;
}

/** Makes the route of something that is done with a schedule. It answers the schedule as it is then. */
export function scheduleChange({ verb, conflict, change, ...definition }: ScheduleChange): Route {
  return route<ScheduleRow, { params: { schedule: string } }>({
    ...definition,
    method: 'POST',
    path: `schedules/:schedule/${verb}`,
    params: { schedule: described(text(128), 'the name of the schedule') },
    answer: ref('ScheduleRow'),
    problems: { 404: 'There is no such schedule.', ...(conflict !== undefined && { 409: conflict }) },
    run: async ({ database, params: { schedule }, caller }) => {
      const find = async () => (await scheduleRows(database.queue)).find(({ name }) => name === schedule);
      const missing = () => new ApiProblem('not-found', `There is no schedule "${schedule}".`, 'schedule');
      const schedules = await database.queue.recurring.list();
      if (!schedules.some(({ name }) => name === schedule)) {
        throw missing();
      }
      await change(database, schedule, { by: caller.name });
      const changed = await find();
      if (!changed) {
        throw missing();
      }
      return changed;
    },
  });
}
