import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { LEFT_OUT } from '../servers/engines.js';

/** The environment variable with the file that the tally is written to, as JSON. */
export const TALLY_VARIABLE = 'TABLEQUEUE_TEST_TALLY';

/** How many tests had which outcome. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The outcome of one part. */
export interface PartTally extends Counts {
  readonly name: string;
  /** From the start of its first file to the end of its last, in ms. */
  readonly ms: number;
}

/** The outcome of a run. */
export interface Tally extends Readonly<Counts> {
  readonly failures: readonly Failure[];
  readonly parts: readonly PartTally[];
  /** Seconds by file. */
  readonly durations: Readonly<Record<string, number>>;
}

/** A failed test, in one line for the end of a long log. */
export interface Failure {
  /** The name of its part. */
  readonly part: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Full name; undefined when the file could not be loaded. */
  readonly test: string | undefined;
  readonly message: string;
}

/** In characters: enough for most differences that an assertion prints. */
const MAX_MESSAGE = 700;

/** The fields of Jest's results that the reporter reads. */
interface FileResult {
  readonly testFilePath: string;
  readonly testExecError?: { readonly message?: string };
  readonly perfStats: { readonly start: number; readonly end: number };
  readonly testResults: readonly {
    readonly status: string;
    readonly title: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

interface TestFile {
  readonly context: { readonly config: { readonly displayName?: { readonly name: string } } };
}

function* failuresIn(
  part: string,
  { testFilePath, testExecError, testResults: tests }: FileResult,
): Generator<Failure> {
  const file = relative(process.cwd(), testFilePath);
  if (testExecError) {
    yield { part, file, test: undefined, message: inOneLine(testExecError.message ?? 'could not be loaded') };
  }
  for (const { status, fullName, failureMessages } of tests) {
    if (status === 'failed') {
      yield { part, file, test: fullName, message: inOneLine(failureMessages.join(' ')) };
    }
  }
}

function inOneLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
}

function countsOf({ testExecError, testResults: tests }: FileResult): Counts {
  const counted = tests.filter(({ title }) => title !== LEFT_OUT);
  const count = (...statuses: string[]) => counted.filter(({ status }) => statuses.includes(status)).length;
  return {
    passed: count('passed'),
    // A file that could not be loaded counts as one failure.
    failed: count('failed') + (testExecError ? 1 : 0),
    skipped: count('pending', 'todo'),
  };
}

function addCounts(sum: Counts, { passed, failed, skipped }: Counts): void {
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
}

/** Counts the tests and times the parts. */
export default class TallyReporter {
  private readonly counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  private readonly parts = new Map<string, Counts & { from: number; to: number }>();
  private readonly failures: Failure[] = [];
  private readonly durations: Record<string, number> = {};

  constructor() {
    process.channel?.unref();
    process.once('disconnect', () => {
      // The test command has ended, and the servers with it. Jest's worker processes end only after their last test.
      spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
      process.exit(1);
    });
  }

  onTestFileResult(test: TestFile, result: FileResult): void {
    const counts = countsOf(result);
    const { start, end } = result.perfStats;
    addCounts(this.counts, counts);
    const name = test.context.config.displayName?.name ?? '';
    this.failures.push(...failuresIn(name, result));
    const part = this.parts.get(name) ?? { passed: 0, failed: 0, skipped: 0, from: Infinity, to: 0 };
    addCounts(part, counts);
    // A file that could not be loaded has no times.
    part.from = Math.min(part.from, start || Infinity);
    part.to = Math.max(part.to, end);
    this.parts.set(name, part);
    const file = relative(process.cwd(), result.testFilePath);
    // A file can belong to two parts.
    this.durations[file] = Math.max(this.durations[file] ?? 0, Math.round((end - start) / 1000));
  }

  onRunComplete(): void {
    const file = process.env[TALLY_VARIABLE];
    if (file) {
      const parts = [...this.parts].map(([name, { from, to, ...counts }]) => ({
        name,
        ms: Math.max(to - from, 0),
        ...counts,
      }));
      const tally: Tally = { ...this.counts, failures: this.failures, parts, durations: this.durations };
      writeFileSync(file, JSON.stringify(tally));
    }
  }
}
