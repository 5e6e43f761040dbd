import { ApiProblem } from '../../api/api-problem.js';
import { scheduleChange } from './schedule-change.js';

export const runSchedule = scheduleChange({
  name: 'runSchedule',
  verb: 'run',
  summary: 'Enqueue a job of a schedule now',
  conflict: 'Its last job is live, and it allows no other meanwhile.',
  change: async ({ queue }, schedule, by) => {
    if (!(await queue.recurring.fireNow(schedule, by))) {
      const detail = `The last job of "${schedule}" has not ended, and the schedule allows no other meanwhile.`;
      throw new ApiProblem('conflict', detail, 'schedule');
    }
  },
});
