import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** Where the tally is written to, as JSON. */
export const TALLY_VARIABLE = 'TABLEQUEUE_TEST_TALLY';

/** How many tests there were. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What Jest tells a reporter at the end, as far as it is used here. */
interface AggregatedResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/** Counts the tests for the last line. A file that could not even be loaded counts as a failure. */
export default class TallyReporter {
  constructor() {
    process.channel?.unref();
    process.once('disconnect', () => {
      // The test command is gone, and the servers with it: what still runs could only fail. Jest's worker processes
      // would finish their tests first, and end by nothing else.
      spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
      process.exit(1);
    });
  }

  onRunComplete(_contexts: unknown, result: AggregatedResult): void {
    const file = process.env[TALLY_VARIABLE];
    if (file) {
      const tally: Tally = {
        passed: result.numPassedTests,
        failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
        skipped: result.numPendingTests + result.numTodoTests,
      };
      writeFileSync(file, JSON.stringify(tally));
    }
  }
}
