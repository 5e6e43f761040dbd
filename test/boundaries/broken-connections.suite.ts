import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Engine } from '../servers/engines.js';
import { APPLICATION_OPERATIONS, type BoundaryOperation } from '../support/boundaries/application-operations.js';
import { type InjectedFault, OperationContext } from '../support/boundaries/operation-context.js';
import { SETTINGS, beginsSession } from '../support/boundaries/statement-paths.js';
import { SILENT_OPERATIONS, WORKER_OPERATIONS } from '../support/boundaries/worker-operations.js';
import { Workbench } from '../support/workbench.js';

/** How many runs go on at a time: most of them wait, those of silent connections for 5 s and more. */
const AT_A_TIME = { cut: 8, silence: 24 };
/** How often a run is started until its statement has been sent: one that every run sends, or an incidental one. */
const TRIES = { sure: 5, incidental: 2 };
/** How many undisturbed runs show which statements belong to an operation, and which are incidental. */
const CLEAN_RUNS = 2;

const DOCS = readFileSync(new URL('../../docs/internals/crashes.md', import.meta.url), 'utf8');
/** The columns of the table there, behind the operation. */
const MOMENTS = ['before the commit', 'at the commit', 'after the commit'] as const;

/** A statement outside of a transaction is its own commit, except for reads of session settings. */
function momentOf({ path, side }: InjectedFault): (typeof MOMENTS)[number] {
  const isCommit = path.endsWith('COMMIT') || !(path.startsWith('START TRANSACTION') || path === SETTINGS);
  return isCommit ? (side === 'before' ? 'at the commit' : 'after the commit') : 'before the commit';
}

/** The outcomes that the docs allow. */
function documented(operation: string, moment: (typeof MOMENTS)[number]): string[] {
  const rows = DOCS.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const row = rows.find(([, name]) => name === operation) ?? [];
  return row[2 + MOMENTS.indexOf(moment)]?.split(' or ') ?? [];
}

/**
 * The queue treats both servers alike, so each way to break is tried on one of them.
 *
 * @param how what happens to the connection.
 */
export function brokenConnectionsSuite(engine: Engine, how: InjectedFault['how']): void {
  let shared: Workbench;
  /** Unused databases of operations that use all queues. */
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

  async function runOnce(operation: BoundaryOperation, fault?: InjectedFault) {
    if (!operation.usesAllQueues) {
      return runOn(shared, operation, fault);
    }
    const own = free.pop() ?? (await Workbench.open(engine));
    try {
      return await runOn(own, operation, fault);
    } finally {
      free.push(own);
    }
  }

  async function runOn(bench: Workbench, operation: BoundaryOperation, fault: InjectedFault | undefined) {
    const context = await OperationContext.open(bench, `q${++numbers}`, fault);
    try {
      const outcome = await operation.run(context, () => context.arm());
      await context.stop();
      return { outcome, paths: context.paths, isInjected: context.isInjected };
    } finally {
      await context.close();
    }
  }

  /**
   * @param isSure whether its statement is always sent: maintenance, for example, is due now and then.
   * @returns what has gone wrong.
   */
  async function runWithFault(
    operation: BoundaryOperation,
    fault: InjectedFault,
    isSure: boolean,
  ): Promise<string | undefined> {
    const label = `${fault.how} ${fault.side} ${fault.path}`;
    try {
      for (let attempt = 1; attempt <= (isSure ? TRIES.sure : TRIES.incidental); attempt++) {
        const { isInjected, outcome } = await runOnce(operation, fault);
        if (isInjected) {
          const written = documented(operation.name, momentOf(fault));
          return written.includes(outcome) ? undefined : `${label}: ${outcome}, and not ${written.join(' or ')}`;
        }
      }
      return isSure ? `${label}: never sent` : undefined;
    } catch (error) {
      return `${label}: ${String(error)}`;
    }
  }

  async function injectAll(operation: BoundaryOperation): Promise<void> {
    const clean: Set<string>[] = [];
    while (clean.length < CLEAN_RUNS) {
      clean.push(new Set((await runOnce(operation)).paths));
    }
    const isTried = (path: string) => how === 'cut' || (operation.hasDeadline?.(path) ?? true);
    const paths = [...new Set(clean.flatMap((seen) => [...seen]))].filter(isTried);
    const faults = paths.flatMap((path) => (['before', 'after'] as const).map((side) => ({ path, side, how })));
    const failures: (string | undefined)[] = [];
    const left = [...faults];
    const injectNext = async () => {
      for (let fault = left.shift(); fault; fault = left.shift()) {
        const isSure = !beginsSession(fault.path) && clean.every((seen) => seen.has(fault.path));
        failures.push(await runWithFault(operation, fault, isSure));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME[how] }, injectNext));
    expect(failures.filter(Boolean)).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
  }

  const operations =
    how === 'cut'
      ? [...APPLICATION_OPERATIONS, ...WORKER_OPERATIONS]
      : WORKER_OPERATIONS.filter(({ name }) => SILENT_OPERATIONS.has(name));

  test.each(operations.map((each) => [each.name, each] as const))(
    '%s',
    (_name, operation) => injectAll(operation),
    300_000,
  );
}
