import type { FaultProxy, PassingCommand } from '../proxy/fault-proxy.js';
import type { Random } from '../random.js';
import { sleepUnlessAborted } from '../timing.js';
import type { Allowance, Fault } from './fault.js';

interface Range {
  readonly least: number;
  readonly most: number;
}

/** What a fault does this time, and how it starts. `start` returns a function that heals it. */
interface Plan {
  readonly detail: string;
  readonly start: () => () => void;
}

/**
 * A fault of the network that lasts for some time.
 *
 * @param duration in ms.
 */
function lastingFault(
  name: string,
  duration: Range,
  allows: readonly Allowance[],
  plan: (proxy: FaultProxy, random: Random) => Plan,
): Fault {
  return {
    name,
    needs: ['proxy', 'connection'],
    allows,
    async inject(context, random, signal) {
      const length = random.integer(duration.least, duration.most);
      const { detail, start } = plan(context.proxy!, random);
      const active = context.begin('everyone', `${detail} for ${length} ms`);
      const heal = start();
      await sleepUnlessAborted(length, signal);
      heal();
      active.end();
    },
  };
}

function cutAt(name: string, what: string, probability: number, matches: (command: PassingCommand) => boolean): Fault {
  return lastingFault(name, { least: 300, most: 1_500 }, ['rerun', 'delay'], (proxy, random) => {
    const side = random.chance(0.5) ? 'before' : 'after';
    const start = () =>
      proxy.intercept((command) =>
        matches(command) && random.chance(probability) ? { side, act: () => command.connection.cut() } : undefined,
      );
    return { detail: `connections are cut ${side} ${what}`, start };
  });
}

/**
 * Breaks connections at COMMIT: before the server receives it, or after the commit and before the client receives the
 * answer. The client cannot know which of the two happened.
 */
export const cutAtCommit = cutAt('cut-at-commit', 'a COMMIT', 0.3, ({ text }) => text === 'COMMIT');

/** The same at any statement. */
export const cutAtStatement = cutAt('cut-at-statement', 'a statement', 0.03, ({ text }) => text !== undefined);

/** Breaks some or all connections at a random moment, as a firewall (RST) or a restarted proxy (FIN) does. */
export const cutConnections: Fault = {
  name: 'cut-connections',
  needs: ['proxy', 'connection'],
  // A worker that loses all connections loses its liveness lock too.
  allows: ['rerun', 'delay'],
  async inject(context, random) {
    const share = random.chance(0.3) ? 1 : random.next();
    const mode = random.chance(0.5) ? 'reset' : 'end';
    const connections = context.proxy!.connections.filter(() => random.chance(share));
    const active = context.begin('everyone', `${connections.length} connections are cut (${mode})`);
    connections.forEach((connection) => connection.cut(mode));
    await Promise.all(connections.map((connection) => connection.whenClosed()));
    active.end();
  },
};

/** Breaks all connections and refuses new ones for some time, as if the database were unavailable. */
export const refuseConnections = lastingFault(
  'refuse-connections',
  { least: 300, most: 3_000 },
  ['rerun', 'delay'],
  (proxy) => ({
    detail: 'no connections',
    start: () => {
      const stop = proxy.refuse();
      proxy.cut();
      return stop;
    },
  }),
);

/**
 * Stops the data on some connections, in one direction or both, as the loss of a route does. No side is notified, so
 * the server keeps their transactions open. The data arrives at the end, also after the client has gone. A worker waits
 * 5 s for an answer, so some answers are late and some connections are closed.
 */
export const silenceConnections = lastingFault(
  'silence-connections',
  { least: 1_000, most: 8_000 },
  ['rerun', 'delay'],
  (proxy, random) => {
    const direction = random.pick(['to server', 'to client', 'both'] as const)!;
    const connections = proxy.connections.filter(() => random.chance(0.4));
    return {
      detail: `${connections.length} connections receive nothing (${direction})`,
      start: () => {
        connections.forEach((connection) => connection.silence(direction));
        return () => connections.forEach((connection) => connection.heal());
      },
    };
  },
);

/** How much later data arrives, in each direction, in ms. */
const DELAY: Range = { least: 5, most: 150 };
/** How much data passes in a second, in bytes. */
const RATE: Range = { least: 20_000, most: 500_000 };

/** Makes the network slow for some time: data arrives late, or in small pieces. */
export const slowNetwork = lastingFault('slow-network', { least: 1_000, most: 4_000 }, ['delay'], (proxy, random) => {
  const isDelayed = random.chance(0.5);
  const { least, most } = isDelayed ? DELAY : RATE;
  const amount = random.integer(least, most);
  return {
    detail: `${amount} ${isDelayed ? 'ms later' : 'bytes a second'}`,
    start: () => {
      if (isDelayed) {
        proxy.delay(amount);
      } else {
        proxy.throttle(amount);
      }
      return () => proxy.restoreSpeed();
    },
  };
});
