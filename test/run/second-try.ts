import type { ServersByEngine } from '../servers/engines.js';
import { type JestRun, runJest } from './run-jest.js';
import type { Failure } from './tally-reporter.js';

/** What Jest exits with then; a run that had to be killed has another code. */
const TESTS_FAILED = 1;

/** More than these are no accident. */
const MOST = 3;

/**
 * What looks for broken promises under faults, load and chance: a failure there may be one in a thousand, and is what the
 * test is for.
 */
const ONE_TRY = ['boundaries', 'clusters', 'concurrency', 'crash', 'properties', 'verify'].map(
  (folder) => `test/${folder}/`,
);

/** A run, and what has failed in it and then passed. */
export interface SettledRun extends JestRun {
  readonly unstable: readonly Failure[];
}

/**
 * Gives up to three failed tests a second try, each file alone, so that one test in thousands that a busy machine has
 * upset does not hold up a change that it has nothing to do with. What passes then is told as unstable: it is a defect, of
 * the test or of what it tests.
 */
export async function secondTry(run: JestRun, servers: ServersByEngine): Promise<SettledRun> {
  const { failures } = run.tally;
  const isWorthIt = run.code === TESTS_FAILED && failures.length <= MOST && failures.every(mayBeTriedAgain);
  if (run.isInterrupted || !isWorthIt) {
    return { ...run, unstable: [] };
  }
  console.log(`\nA second try for ${failures.length} of the tests.`);
  let isInterrupted = false;
  const unstable: Failure[] = [];
  for (const file of new Set(failures.map((failure) => failure.file))) {
    const failed = failures.filter((failure) => failure.file === file);
    const names = failed.map(({ test = '' }) => test.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
    const again = await runJest(['--runTestsByPath', file, '--testNamePattern', `^(${names.join('|')})$`], servers);
    isInterrupted ||= again.isInterrupted;
    if (again.code === 0 && again.tally.passed === failed.length) {
      unstable.push(...failed);
    }
  }
  const { passed, failed, skipped } = run.tally;
  const tally = {
    passed: passed + unstable.length,
    failed: failed - unstable.length,
    skipped,
    failures: failures.filter((failure) => !unstable.includes(failure)),
  };
  return { code: tally.failed === 0 ? 0 : run.code, tally, isInterrupted, unstable };
}

function mayBeTriedAgain({ file, test }: Failure): boolean {
  return test !== undefined && !ONE_TRY.some((folder) => file.startsWith(folder));
}
