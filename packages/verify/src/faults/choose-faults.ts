import { InvalidOptionError } from '@tablequeue/typeorm';

import { UnknownFaultError } from '../errors.js';
import type { Fault, FaultNeed } from './fault.js';
import { FAULTS } from './index.js';

/** What is available to faults. */
export type Available = Readonly<Record<FaultNeed, boolean>>;

/**
 * Returns the requested faults whose needs are available.
 *
 * @throws UnknownFaultError, InvalidOptionError
 */
export function chooseFaults(requested: readonly (Fault | string)[] = FAULTS, available: Available): Fault[] {
  if (!Array.isArray(requested)) {
    throw new InvalidOptionError('faults', requested, 'a list of faults, or of their names');
  }
  return requested
    .map((each: unknown, index) => {
      if (typeof each === 'string') {
        return findFault(each);
      }
      if (!isFault(each, available)) {
        throw new InvalidOptionError(
          `faults[${index}]`,
          each,
          `the name of a fault, or a fault whose needs are of ${Object.keys(available).join(', ')}`,
        );
      }
      return each;
    })
    .filter(({ needs }) => needs.every((need) => available[need]));
}

function findFault(name: string): Fault {
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
