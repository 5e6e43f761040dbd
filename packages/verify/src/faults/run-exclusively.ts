import type { ServerControl } from './server-control.js';

const underWay = new WeakMap<ServerControl, Promise<void>>();

/** Faults of one server wait for one another: a server that is down can be neither filled nor killed. */
export async function runExclusively(server: ServerControl, strike: () => Promise<void>): Promise<void> {
  const before = underWay.get(server) ?? Promise.resolve();
  const strikes = before.then(strike);
  underWay.set(
    server,
    strikes.catch(() => undefined),
  );
  await strikes;
}
