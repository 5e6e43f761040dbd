import { route } from '../../api/route.js';
import type { ScheduleRow } from '../../contract/index.js';
import { listOf, ref } from '../../schema/json-schema.js';
import { scheduleRows } from './schedule-rows.js';

export const listSchedules = route<ScheduleRow[]>({
  name: 'listSchedules',
  method: 'GET',
  path: 'schedules',
  summary: 'All schedules, by name',
  answer: listOf(ref('ScheduleRow')),
  run: ({ database: { queue, readings } }) => readings.of(['schedules'], () => scheduleRows(queue)),
});
