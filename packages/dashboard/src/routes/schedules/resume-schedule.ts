import { scheduleChange } from './schedule-change.js';

export const resumeSchedule = scheduleChange({
  name: 'resumeSchedule',
  verb: 'resume',
  summary: 'End the pause of a schedule',
  change: async ({ queue }, schedule, by) => {
    await queue.recurring.resume(schedule, by);
  },
});
