import type { PassingCommand } from '../proxy/fault-proxy.js';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** How long it goes on, in ms. */
const LASTS = { least: 300, most: 1_500 } as const;

function cutAt(name: string, what: string, probability: number, isMeant: (command: PassingCommand) => boolean): Fault {
  return {
    name,
    needs: ['proxy', 'connection'],
    allows: ['rerun', 'delay'],
    async inject(scene, random, signal) {
      const length = random.whole(LASTS.least, LASTS.most);
      const side = random.chance(0.5) ? 'before' : 'after';
      const open = scene.record('everyone', `connections are cut ${side} ${what}, for ${length} ms`);
      const stop = scene.proxy!.intercept((command) =>
        isMeant(command) && random.chance(probability) ? { side, act: () => command.connection.cut() } : undefined,
      );
      await sleepUnlessEnded(length, signal);
      stop();
      open.end();
    },
  };
}

/**
 * Breaks connections at COMMIT: before the server gets it, or after it has committed and before anybody hears of it. Nobody
 * can know which of the two it was.
 */
export const cutAtCommit = cutAt('cut-at-commit', 'a COMMIT', 0.3, ({ text }) => text === 'COMMIT');

/** The same at any statement. */
export const cutAtStatement = cutAt('cut-at-statement', 'a statement', 0.03, ({ text }) => text !== undefined);
