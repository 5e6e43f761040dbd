import TestRunner from 'jest-runner';

/** Runs one file at a time, while no other runs. */
export default class SerialRunner extends TestRunner {
  isSerial = true;
}
