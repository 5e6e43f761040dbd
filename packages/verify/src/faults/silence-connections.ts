import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';

/**
 * How long it lasts, in ms. A worker waits 5 s for an answer, so some answers are late and some connections are closed.
 */
const DURATION = { least: 1_000, most: 8_000 } as const;

/**
 * Stops the data on some connections, in one direction or both, as the loss of a route does. No side is notified, so
 * the server keeps their transactions open. The data arrives at the end, also after the client has gone.
 */
export const silenceConnections: Fault = {
  name: 'silence-connections',
  needs: ['proxy', 'connection'],
  allows: ['rerun', 'delay'],
  async inject(context, random, signal) {
    const length = random.integer(DURATION.least, DURATION.most);
    const direction = random.pick(['to server', 'to client', 'both'] as const)!;
    const connections = context.proxy!.connections.filter(() => random.chance(0.4));
    const active = context.begin(
      'everyone',
      `${connections.length} connections receive nothing (${direction}) for ${length} ms`,
    );
    connections.forEach((connection) => connection.silence(direction));
    await sleepUnlessAborted(length, signal);
    connections.forEach((connection) => connection.heal());
    active.end();
  },
};
