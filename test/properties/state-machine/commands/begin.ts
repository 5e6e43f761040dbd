import { expect } from '@jest/globals';
import * as fc from 'fast-check';

import { HeldDrain } from '../held-drain.js';
import type { Machine } from '../machine.js';
import type { Model } from '../model.js';
import { command } from './command.js';

/** A worker begins to work; it holds the first job that it runs. */
export const begin = command('begin', fc.constant({}), {
  isPossible: ({ workers }) => workers.includes(undefined),
  async act(model, machine) {
    const number = model.workers.indexOf(undefined);
    const drain = new HeldDrain(machine.queue);
    machine.workers[number] = drain;
    const first = await drain.begin();
    await machine.readTimes(model);
    const { worker, next } = model.begin();
    expect(first).toBe(next?.id);
    model.workers[number] = worker;
    endIfOver(model, machine, number);
  },
});

/** A worker that runs nothing more is gone, and has reported the outcomes of its runs. */
export function endIfOver(model: Model, machine: Machine, number: number): void {
  const { held, outcomes } = model.workers[number]!;
  if (!held) {
    expect(machine.workers[number]!.runs!.map(({ id, outcome }) => ({ id, outcome }))).toEqual(outcomes);
    model.workers[number] = undefined;
    machine.workers[number] = undefined;
  }
}
