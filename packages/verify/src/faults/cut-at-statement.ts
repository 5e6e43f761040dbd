import type { PassingCommand } from '../proxy/fault-proxy.js';
import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';

/** How long it lasts, in ms. */
const DURATION = { least: 300, most: 1_500 } as const;

function cutAt(name: string, what: string, probability: number, matches: (command: PassingCommand) => boolean): Fault {
  return {
    name,
    needs: ['proxy', 'connection'],
    allows: ['rerun', 'delay'],
    async inject(context, random, signal) {
      const length = random.integer(DURATION.least, DURATION.most);
      const side = random.chance(0.5) ? 'before' : 'after';
      const active = context.begin('everyone', `connections are cut ${side} ${what}, for ${length} ms`);
      const stop = context.proxy!.intercept((command) =>
        matches(command) && random.chance(probability) ? { side, act: () => command.connection.cut() } : undefined,
      );
      await sleepUnlessAborted(length, signal);
      stop();
      active.end();
    },
  };
}

/**
 * Breaks connections at COMMIT: before the server receives it, or after the commit and before the client receives the
 * answer. The client cannot know which of the two happened.
 */
export const cutAtCommit = cutAt('cut-at-commit', 'a COMMIT', 0.3, ({ text }) => text === 'COMMIT');

/** The same at any statement. */
export const cutAtStatement = cutAt('cut-at-statement', 'a statement', 0.03, ({ text }) => text !== undefined);
