import { UnknownFaultError } from '../errors/index.js';
import type { Fault, FaultNeed } from './fault.js';
import { FAULTS } from './index.js';

/** What there is for faults to work with. */
export type Available = Readonly<Record<FaultNeed, boolean>>;

/**
 * The faults that were asked for and can strike here.
 *
 * @throws UnknownFaultError
 */
export function chooseFaults(asked: readonly (Fault | string)[] = FAULTS, available: Available): Fault[] {
  return asked
    .map((each) => (typeof each === 'string' ? byName(each) : each))
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
