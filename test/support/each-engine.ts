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

/** Declares a suite that was not asked for. Jest refuses a file without a test. */
export function describeLeftOut(name: string): void {
  describe(name, () => test.skip('is not for the chosen engines', () => undefined));
}

/** The same with the server that has no SKIP LOCKED among them: for what shows that everything works there. */
export function describeOnOlderToo(name: string, define: (engine: Engine) => void): void {
  describeEach(name, define, ENGINES);
}
