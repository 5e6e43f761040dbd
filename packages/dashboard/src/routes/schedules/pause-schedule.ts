import { scheduleChange } from './schedule-change.js';

export const pauseSchedule = scheduleChange({
  name: 'pauseSchedule',
  verb: 'pause',
  summary: 'Pause a schedule',
  change: async ({ queue }, schedule, by) => {
    await queue.recurring.pause(schedule, by);
  },
});
