import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import { hasSkipLocked } from '../support/claim-strategies.js';
import { describeOnOlderToo } from '../support/each-engine.js';
import { runs } from './runs.js';
import { commands } from './state-machine/commands/index.js';
import { Machine } from './state-machine/machine.js';
import { Model } from './state-machine/model.js';
import { useWorkbench } from '../support/use-workbench.js';

/** How long a round of sequences may take, in ms, and how many there are at most. */
const PATIENCE = 45_000;
const ROUNDS = 4;

describeOnOlderToo('the state machine', (engine) => {
  const bench = useWorkbench(engine);

  test(
    'matches its model after any sequence of commands',
    async () => {
      const seen = new Set<string>();
      const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (given) => {
        await bench.reset();
        const machine = await Machine.start(bench.queue, bench.clock);
        const model = new Model(engine === 'sqlite' || hasSkipLocked(engine));
        try {
          await fc.asyncModelRun(() => ({ model, real: machine }), given);
          machine.seen.forEach((state) => seen.add(state));
        } finally {
          await machine.close();
        }
      });
      const all = ['cancelled', 'failed', 'ready', 'running', 'scheduled', 'succeeded', 'waiting'];
      // A slow machine tries few commands within the limit of time, and so needs more rounds.
      for (let round = 0; round < ROUNDS && seen.size < all.length; round++) {
        // At any time, a failure is reported with its seed: shrinking has a limit of time, too.
        await fc.assert(property, { ...runs(15), unbiased: true, interruptAfterTimeLimit: PATIENCE });
      }
      expect([...seen].sort()).toEqual(all);
    },
    60_000 + ROUNDS * PATIENCE,
  );
});
