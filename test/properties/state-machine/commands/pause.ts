import * as fc from 'fast-check';

import { machineJob } from '../machine-job.js';
import { command } from './command.js';

export const pause = command('pause', fc.record({ isPaused: fc.constantFrom(true, false, false, false) }), {
  async act(model, machine, { isPaused }) {
    const { control } = machine.queue;
    await (isPaused ? control.pause(machineJob.queue) : control.resume(machineJob.queue));
    model.isPaused = isPaused;
  },
});
