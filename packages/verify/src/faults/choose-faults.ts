import { InvalidOptionError } from '@tablequeue/typeorm';

import { UnknownFaultError } from '../errors/index.js';
import type { Fault, FaultNeed } from './fault.js';
import { FAULTS } from './index.js';

/** What there is for faults to work with. */
export type Available = Readonly<Record<FaultNeed, boolean>>;

/**
 * The faults that were asked for and can strike here.
 *
 * @throws UnknownFaultError, InvalidOptionError
 */
export function chooseFaults(asked: readonly (Fault | string)[] = FAULTS, available: Available): Fault[] {
  if (!Array.isArray(asked)) {
    throw new InvalidOptionError('faults', asked, 'a list of faults, or of their names');
  }
  return asked
    .map((each: unknown, index) => {
      if (typeof each === 'string') {
        return byName(each);
      }
      if (!isFault(each, available)) {
        throw new InvalidOptionError(
          `faults[${index}]`,
          each,
          'a fault that needs nothing unknown, or the name of one',
        );
      }
      return each;
    })
    .filter(({ needs }) => needs.every((need) => available[need]));
}

function byName(name: string): Fault {
  const fault = FAULTS.find((each) => each.name === name);
  if (!fault) {
    throw new UnknownFaultError(
      name,
      FAULTS.map((each) => each.name),
    );
  }
  return fault;
}

function isFault(value: unknown, available: Available): value is Fault {
  const { name, needs, allows, inject } = (value ?? {}) as Partial<Record<keyof Fault, unknown>>;
  const areKnown = Array.isArray(needs) && needs.every((need) => Object.hasOwn(available, String(need)));
  return typeof name === 'string' && areKnown && Array.isArray(allows) && typeof inject === 'function';
}
