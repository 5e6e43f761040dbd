import { expect } from '@jest/globals';
import { Reaper } from '@tablequeue/typeorm/internal';
import * as fc from 'fast-check';

import { command } from './command.js';

export const reap = command('reap', fc.constant({}), {
  async act(model, machine) {
    expect(await new Reaper(machine.queue.engine).runOnce()).toEqual(model.reap());
  },
});
