import { describe, test } from '@jest/globals';

import { CURRENT_ENGINES, ENGINES, type Engine, LEFT_OUT } from '../servers/engines.js';
import { isLeftOut, serverUrl } from './servers.js';

/**
 * Declares a suite once for each engine. It leaves out an engine that this run was not asked for. It skips, test by
 * test, an engine without a server, so that the tally shows it.
 */
export function describeEach(
  name: string,
  define: (engine: Engine) => void,
  engines: readonly Engine[] = CURRENT_ENGINES,
): void {
  const wanted = engines.filter((engine) => !isLeftOut(engine));
  for (const engine of wanted) {
    const available = engine === 'sqlite' || serverUrl(engine) !== undefined;
    (available ? describe : describe.skip)(`${name} [${engine}]`, () => define(engine));
  }
  if (wanted.length === 0) {
    describeLeftOut(name);
  }
}

/** A test of one engine. No hook runs before it: it opens and closes what it needs. */
export interface OnEngine {
  readonly title: string;
  readonly engine: Engine;
  readonly run: () => Promise<void>;
}

/** Declares tests that run at the same time, as many as `maxConcurrency` allows, in their order. */
export function describeAtOnce(name: string, tests: readonly OnEngine[], timeout: number): void {
  const wanted = tests.filter(({ engine }) => !isLeftOut(engine));
  if (wanted.length === 0) {
    describeLeftOut(name);
    return;
  }
  describe(name, () => {
    for (const { title, engine, run } of wanted) {
      const available = engine === 'sqlite' || serverUrl(engine) !== undefined;
      (available ? test.concurrent : test.concurrent.skip)(`${title} [${engine}]`, run, timeout);
    }
  });
}

/** Declares a suite that this run was not asked for. Jest refuses a file without a test. */
export function describeLeftOut(name: string): void {
  describe(name, () => test.skip(LEFT_OUT, () => undefined));
}

/** Declares a suite on all engines, with the server that has no SKIP LOCKED. */
export function describeOnOlderToo(name: string, define: (engine: Engine) => void): void {
  describeEach(name, define, ENGINES);
}
