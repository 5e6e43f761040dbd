import { container } from './container.js';
import { debian } from './debian.js';
import { PROGRAM_VARIABLES, environment } from './environment.js';
import { installed, programAt } from './installed.js';
import { npmPackage } from './npm-package.js';
import { assertRelease } from './releases.js';
import type { Server, ServerEngine, ServerPurpose, ServerSource } from './server.js';

/** Where server programs come from, in this order. */
const PROGRAMS: readonly ServerSource[] = [installed, debian, npmPackage, container];

/** Gets a server of an engine from the first source that has one. */
export async function obtainServer(
  engine: ServerEngine,
  log: (message: string) => void,
  purpose: ServerPurpose = 'tests',
): Promise<Server | { readonly engine: ServerEngine; readonly reason: string }> {
  const sources = sourcesOf(engine);
  const failures: string[] = [];
  for (const source of sources) {
    try {
      const server = await source.obtain(engine, log, purpose);
      if (server) {
        if (PROGRAMS.includes(source)) {
          await assertRelease(server);
        }
        return server;
      }
    } catch (error) {
      const failure = `${source.name}: ${error instanceof Error ? error.message : String(error)}`;
      log(failure);
      failures.push(failure);
    }
  }
  const tried = sources.map(({ name }) => name).join(', ');
  return { engine, reason: failures.length > 0 ? failures.join('\n') : `No server in any of: ${tried}.` };
}

/** The sources to try: a URL in the environment, then the chosen program, or all programs. */
function sourcesOf(engine: ServerEngine): readonly ServerSource[] {
  const chosen = process.env[PROGRAM_VARIABLES[engine]];
  if (!chosen) {
    return [environment, ...PROGRAMS];
  }
  if (chosen.includes('/')) {
    return [environment, programAt(chosen)];
  }
  const source = PROGRAMS.find(({ name }) => name === chosen);
  if (!source) {
    const names = PROGRAMS.map(({ name }) => name).join(', ');
    throw new Error(
      `${PROGRAM_VARIABLES[engine]} is "${chosen}". Use the path of a server program, or one of: ${names}.`,
    );
  }
  return [environment, source];
}

/**
 * Starts a server for one test file. The caller stops it.
 *
 * @throws Error when no source has one.
 */
export async function ownServer(engine: ServerEngine, purpose: ServerPurpose): Promise<Server> {
  const obtained = await obtainServer(engine, () => undefined, purpose);
  if (!('url' in obtained)) {
    throw new Error(obtained.reason);
  }
  return obtained;
}
