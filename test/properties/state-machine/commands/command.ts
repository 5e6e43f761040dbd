import * as fc from 'fast-check';

import type { Machine } from '../machine.js';
import { type ModelJob, UNIT } from '../model-job.js';
import type { Model } from '../model.js';

/** A command of the machine, to be tried at any time. */
export type Command = fc.AsyncCommand<Model, Machine>;

/** What a command does to both, and what it has to answer. */
interface Action<Input> {
  /** Whether it can be done. Default: always. */
  readonly isPossible?: (model: Readonly<Model>, input: Input) => boolean;
  readonly act: (model: Model, machine: Machine, input: Input) => Promise<void>;
}

/** A command, behind which the machine has to be in the state of the model. */
export function command<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  { isPossible = () => true, act }: Action<Input>,
): fc.Arbitrary<Command> {
  return input.map((given) => ({
    check: (model) => isPossible(model, given),
    run: async (model, machine) => {
      // Half a unit is the shortest wait: a machine that paused for so long proves nothing.
      fc.pre(machine.realTime < UNIT / 2);
      await act(model, machine, given);
      await machine.expectState(model);
    },
    toString: () => `${name} ${fc.stringify(given)}`,
  }));
}

/** One of the jobs there are, and in which transaction something is done to it. */
export const whichJob = fc.record({ job: fc.nat(30) });
export const transaction = fc.constantFrom('none' as const, 'none' as const, 'commit' as const, 'rollback' as const);

export const hasJobs = ({ jobs }: Readonly<Model>): boolean => jobs.length > 0;

/** The job that a number refers to. */
export function jobAt({ jobs }: Model, number: number): ModelJob {
  return jobs[number % jobs.length] as ModelJob;
}

/** What a job is to be like. */
export const wanted = {
  payload: fc.nat(99),
  priority: fc.integer({ min: -1, max: 1 }),
  key: fc.constantFrom('a', 'b', undefined),
  // Most without one: where there are none, claims go another way.
  tenant: fc.constantFrom('x', 'y', ...Array<undefined>(5).fill(undefined)),
  delay: fc.nat(3),
};
