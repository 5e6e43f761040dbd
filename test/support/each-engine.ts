import { describe, test } from '@jest/globals';

import { ENGINES, type Engine, SERVERS_VARIABLE, type ServersByEngine } from '../servers/engines.js';

const servers = JSON.parse(process.env[SERVERS_VARIABLE] ?? '{}') as ServersByEngine;

/** The URL of an engine's server; undefined for SQLite. */
export function serverUrl(engine: Engine): string | undefined {
  const server = servers[engine];
  return server && 'url' in server ? server.url : undefined;
}

/**
 * Declares a suite once for each engine. An engine that was not asked for is left out; one whose server could not be
 * had is skipped, test by test, so that the tally shows it.
 */
export function describeEach(
  name: string,
  define: (engine: Engine) => void,
  engines: readonly Engine[] = ENGINES,
): void {
  const wanted = engines.filter((engine) => !(servers[engine] && 'left' in servers[engine]));
  for (const engine of wanted) {
    const available = engine === 'sqlite' || serverUrl(engine) !== undefined;
    (available ? describe : describe.skip)(`${name} [${engine}]`, () => define(engine));
  }
  if (wanted.length === 0) {
    // Jest refuses a file without a test.
    describe(name, () => test('is not for the chosen engines', () => undefined));
  }
}
