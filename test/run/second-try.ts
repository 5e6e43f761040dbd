import type { ServersByEngine } from '../servers/engines.js';
import { type JestRun, runJest } from './run-jest.js';
import type { Failure } from './tally-reporter.js';

/** The exit code of Jest for failed tests. A run that had to be killed has another code. */
const TESTS_FAILED = 1;

/** With more failures than these, the cause is hardly chance. */
const MAX_FAILURES = 3;

/** Folders whose tests get one try: they look for rare failures under faults, load and chance. */
const ONE_TRY = ['boundaries', 'clusters', 'concurrency', 'crash', 'properties', 'verify'].map(
  (folder) => `test/${folder}/`,
);

/** A run after its second try. */
export interface FinishedRun extends JestRun {
  /** Tests that failed at first and passed at the second try. */
  readonly unstable: readonly Failure[];
}

/**
 * Gives up to three failed tests a second try, each file alone. A busy machine can disturb one test in thousands, and
 * this must not hold up an unrelated change. A test that passes then is reported as unstable: it, or its subject, has a
 * defect.
 */
export async function secondTry(run: JestRun, servers: ServersByEngine): Promise<FinishedRun> {
  const { failures } = run.tally;
  const isWorthIt = run.code === TESTS_FAILED && failures.length <= MAX_FAILURES && failures.every(canBeTriedAgain);
  if (run.isInterrupted || !isWorthIt) {
    return { ...run, unstable: [] };
  }
  console.log(`\nA second try for ${failures.length} of the tests.`);
  let isInterrupted = false;
  const unstable: Failure[] = [];
  for (const failed of byFile(failures)) {
    const [{ part, file }] = failed;
    const names = failed.map(({ test = '' }) => test.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
    const again = await runJest(
      ['--runTestsByPath', file, '--selectProjects', part, '--testNamePattern', `^(${names.join('|')})$`],
      servers,
    );
    isInterrupted ||= again.isInterrupted;
    if (again.code === 0 && again.tally.passed === failed.length) {
      unstable.push(...failed);
    }
  }
  const { passed, failed } = run.tally;
  const tally = {
    ...run.tally,
    passed: passed + unstable.length,
    failed: failed - unstable.length,
    failures: failures.filter((failure) => !unstable.includes(failure)),
  };
  return { code: tally.failed === 0 ? 0 : run.code, tally, isInterrupted, unstable };
}

/** Adds a run that gets no second try. */
export function addRun(finished: FinishedRun, { code, tally, isInterrupted }: JestRun): FinishedRun {
  const { passed, failed, skipped, failures, parts } = finished.tally;
  return {
    ...finished,
    code: finished.code || code,
    tally: {
      ...finished.tally,
      passed: passed + tally.passed,
      failed: failed + tally.failed,
      skipped: skipped + tally.skipped,
      failures: [...failures, ...tally.failures],
      parts: [...parts, ...tally.parts],
    },
    isInterrupted,
  };
}

/** Groups failures by part and file. A file can belong to two parts. */
function byFile(failures: readonly Failure[]): readonly [Failure, ...Failure[]][] {
  const groups = new Map<string, [Failure, ...Failure[]]>();
  for (const failure of failures) {
    const key = `${failure.part}/${failure.file}`;
    const group = groups.get(key);
    if (group) {
      group.push(failure);
    } else {
      groups.set(key, [failure]);
    }
  }
  return [...groups.values()];
}

function canBeTriedAgain({ file, test }: Failure): boolean {
  return test !== undefined && !ONE_TRY.some((folder) => file.startsWith(folder));
}
