import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { UNIT } from '../model-job.js';
import { command } from './command.js';

/** Half a unit, so that what has just ended is young, and what ended a unit ago is not. */
export const prune = command('prune', fc.record({ age: fc.constantFrom(0.5, 1.5) }), {
  async act(model, machine, { age }) {
    expect(await machine.queue.prune(age * UNIT)).toBe(model.prune(age));
  },
});
