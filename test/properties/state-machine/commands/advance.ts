import * as fc from 'fast-check';

import { UNIT } from '../model-job.js';
import { command } from './command.js';

export const advance = command('advance', fc.record({ by: fc.integer({ min: 1, max: 4 }) }), {
  async act(model, machine, { by }) {
    machine.clock.advance(by * UNIT);
    model.now += by;
  },
});
