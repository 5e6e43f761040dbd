import { describe, test } from '@jest/globals';

import { CURRENT_ENGINES, ENGINES, type Engine } from '../servers/engines.js';
import { isLeftOut, serverUrl } from './servers.js';

/**
 * Declares a suite once for each engine. An engine that was not asked for is left out; one whose server could not be
 * had is skipped, test by test, so that the tally shows it.
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

/** A test of one engine. It opens and closes by itself what it needs: no hook runs before it. */
export interface OnEngine {
  readonly title: string;
  readonly engine: Engine;
  readonly run: () => Promise<void>;
}

/**
 * Declares tests of several engines that go on at the same time, as many as `maxConcurrency` allows, in their order: Jest
 * runs those of one `describe` beside one another, and `describeEach` makes one of each engine.
 */
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

/** Declares a suite that was not asked for. Jest refuses a file without a test. */
export function describeLeftOut(name: string): void {
  describe(name, () => test.skip('is not for the chosen engines', () => undefined));
}

/** The same with the server that has no SKIP LOCKED among them: for what shows that everything works there. */
export function describeOnOlderToo(name: string, define: (engine: Engine) => void): void {
  describeEach(name, define, ENGINES);
}
