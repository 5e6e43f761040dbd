import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { APPLICATION_OPERATIONS, type BoundaryOperation } from '../support/boundaries/application-operations.js';
import { type Blow, Stage } from '../support/boundaries/stage.js';
import { SETTINGS, beginsSession } from '../support/boundaries/statement-paths.js';
import { SILENT_OPERATIONS, WORKER_OPERATIONS } from '../support/boundaries/worker-operations.js';
import { Workbench } from '../support/workbench.js';

/** How many runs go on at a time: most of them wait, those of silent connections for 5 s and more. */
const AT_A_TIME = { cut: 8, silence: 24 };
/** How often a run is started until its statement has been sent. */
const TRIES = 5;
/** How many undisturbed runs show which statements belong to an operation, and which are incidental. */
const CLEAN_RUNS = 3;

const DOCS = readFileSync(new URL('../../docs/internals/crashes.md', import.meta.url), 'utf8');
/** The columns of the table there, behind the operation. */
const MOMENTS = ['before the commit', 'at the commit', 'after the commit'] as const;

/** A statement outside of a transaction is its own commit, but for what only looks at the session. */
function momentOf({ path, side }: Blow): (typeof MOMENTS)[number] {
  const isCommit = path.endsWith('COMMIT') || !(path.startsWith('START TRANSACTION') || path === SETTINGS);
  return isCommit ? (side === 'before' ? 'at the commit' : 'after the commit') : 'before the commit';
}

/** The outcomes that the docs allow. */
function documented(operation: string, moment: (typeof MOMENTS)[number]): string[] {
  const rows = DOCS.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const row = rows.find(([, name]) => name === operation) ?? [];
  return row[2 + MOMENTS.indexOf(moment)]?.split(' or ') ?? [];
}

/** Each engine has a file of its own: they are two minutes of work for one process. */
export function brokenConnectionsSuite(engine: Engine): void {
  let shared: Workbench;
  /** Databases of operations that look at all queues, while no run has them. */
  const free: Workbench[] = [];
  let numbers = 0;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeAll(async () => {
    process.on('unhandledRejection', note);
    shared = await Workbench.open(engine);
  });
  afterAll(async () => {
    await Promise.all([shared, ...free].map((bench) => bench.close()));
    process.off('unhandledRejection', note);
  });

  async function runOnce(operation: BoundaryOperation, blow?: Blow) {
    if (!operation.looksAtAllQueues) {
      return runOn(shared, operation, blow);
    }
    const own = free.pop() ?? (await Workbench.open(engine));
    try {
      return await runOn(own, operation, blow);
    } finally {
      free.push(own);
    }
  }

  async function runOn(bench: Workbench, operation: BoundaryOperation, blow: Blow | undefined) {
    const stage = await Stage.open(bench, `q${++numbers}`, blow);
    try {
      const outcome = await operation.run(stage, () => stage.arm());
      await stage.stop();
      return { outcome, paths: stage.paths, hasStruck: stage.hasStruck };
    } finally {
      await stage.close();
    }
  }

  /**
   * @param isSure whether its statement is always sent: maintenance, for example, is due now and then.
   * @returns what has gone wrong.
   */
  async function runStruck(operation: BoundaryOperation, blow: Blow, isSure: boolean): Promise<string | undefined> {
    const label = `${blow.how} ${blow.side} ${blow.path}`;
    try {
      for (let attempt = 1; attempt <= TRIES; attempt++) {
        const { hasStruck, outcome } = await runOnce(operation, blow);
        if (hasStruck) {
          const written = documented(operation.name, momentOf(blow));
          return written.includes(outcome) ? undefined : `${label}: ${outcome}, and not ${written.join(' or ')}`;
        }
      }
      return isSure ? `${label}: never sent` : undefined;
    } catch (error) {
      return `${label}: ${String(error)}`;
    }
  }

  async function strikeAll(operation: BoundaryOperation, how: Blow['how']): Promise<void> {
    const clean: Set<string>[] = [];
    while (clean.length < CLEAN_RUNS) {
      clean.push(new Set((await runOnce(operation)).paths));
    }
    const isTried = (path: string) => how === 'cut' || (operation.hasDeadline?.(path) ?? true);
    const paths = [...new Set(clean.flatMap((seen) => [...seen]))].filter(isTried);
    const blows = paths.flatMap((path) => (['before', 'after'] as const).map((side) => ({ path, side, how })));
    const failures: (string | undefined)[] = [];
    const left = [...blows];
    const strikeNext = async () => {
      for (let blow = left.shift(); blow; blow = left.shift()) {
        const isSure = !beginsSession(blow.path) && clean.every((seen) => seen.has(blow.path));
        failures.push(await runStruck(operation, blow, isSure));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME[how] }, strikeNext));
    expect(failures.filter(Boolean)).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
  }

  const named = (operations: readonly BoundaryOperation[]) => operations.map((each) => [each.name, each] as const);

  test.each(named([...APPLICATION_OPERATIONS, ...WORKER_OPERATIONS]))(
    'is broken: %s',
    (_name, operation) => strikeAll(operation, 'cut'),
    300_000,
  );

  test.each(named(WORKER_OPERATIONS.filter(({ name }) => SILENT_OPERATIONS.has(name))))(
    'falls silent: %s',
    (_name, operation) => strikeAll(operation, 'silence'),
    300_000,
  );
}
