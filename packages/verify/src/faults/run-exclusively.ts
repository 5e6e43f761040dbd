import type { ServerControl } from './server-control.js';

const inProgress = new WeakMap<ServerControl, Promise<void>>();

/** Runs the faults of one server one after another: a stopped server can be neither filled nor killed. */
export async function runExclusively(server: ServerControl, inject: () => Promise<void>): Promise<void> {
  const previous = inProgress.get(server) ?? Promise.resolve();
  const current = previous.then(inject);
  inProgress.set(
    server,
    current.catch(() => undefined),
  );
  await current;
}
