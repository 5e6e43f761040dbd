import TestRunner from 'jest-runner';

/** Runs the files of all parts with the same number of workers, in the order of the parts. */
export default class PartRunner extends TestRunner {
  constructor(globalConfig, context, { workers }) {
    const maxWorkers = Math.min(globalConfig.maxWorkers, workers);
    super({ ...globalConfig, maxWorkers }, context);
    this.isSerial = maxWorkers === 1;
  }
}
