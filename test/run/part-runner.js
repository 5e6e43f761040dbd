import TestRunner from 'jest-runner';

/** Runs the files of one part, as many at a time as the part allows. */
export default class PartRunner extends TestRunner {
  constructor(globalConfig, context, { workers }) {
    const maxWorkers = Math.min(globalConfig.maxWorkers, workers);
    super({ ...globalConfig, maxWorkers }, context);
    this.isSerial = maxWorkers === 1;
  }
}
