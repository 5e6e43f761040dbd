import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Where the tally is written to, as JSON. */
export const TALLY_VARIABLE = 'TABLEQUEUE_TEST_TALLY';

/** How many tests there were. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

/** A test that failed, in lines for whoever sees the end of a long log alone. */
export interface Failure {
  /** From the root of the project. */
  readonly file: string;
  /** Its whole name; undefined where the file could not be loaded. */
  readonly test: string | undefined;
  readonly message: string;
}

/** In characters: the difference that an assertion prints fits mostly. */
const MOST_OF_A_MESSAGE = 700;

/** What Jest tells a reporter at the end, as far as it is used here. */
interface AggregatedResult {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly testExecError?: { readonly message?: string };
    readonly testResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function* failuresIn({ testResults: files }: AggregatedResult): Generator<Failure> {
  for (const { testFilePath, testExecError, testResults: tests } of files) {
    const file = relative(process.cwd(), testFilePath);
    if (testExecError) {
      yield { file, test: undefined, message: inOneLine(testExecError.message ?? 'could not be loaded') };
    }
    for (const { status, fullName, failureMessages } of tests) {
      if (status === 'failed') {
        yield { file, test: fullName, message: inOneLine(failureMessages.join(' ')) };
      }
    }
  }
}

function inOneLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s+/g, ' ').slice(0, MOST_OF_A_MESSAGE);
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
        failures: [...failuresIn(result)],
      };
      writeFileSync(file, JSON.stringify(tally));
    }
  }
}
