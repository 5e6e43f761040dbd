import { setTimeout as sleep } from 'node:timers/promises';

import { readStats } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseDuration, parsePause } from './command.js';
import { renderStats, statsAsJson } from './stats-report.js';

interface StatsCommandOptions extends CommonOptions {
  readonly watch?: number | true;
  readonly failedWithin: number;
}

/** Where counting ends. */
const LIMIT = 10_000;

const DEFAULT_PAUSE = 2_000;
const SHORTEST_PAUSE = 100;

/** `tablequeue stats` */
export const addStats: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'stats',
    'Tells the jobs of each queue, the workers and the schedules. It costs the same however many jobs there are.',
    ['stats', 'stats --watch', 'stats --json --failed-within 1h'],
  )
    .option('--failed-within <duration>', 'count the jobs that have failed since', parseDuration, 24 * 3_600_000)
    .option('--watch [interval]', 'again and again, until it is interrupted (default: every 2s)', parsePause)
    .action(async (options: StatsCommandOptions) => {
      await useQueue(options, context, async ({ name, queue }) => {
        const { watch, failedWithin } = options;
        await repeatWhile(watch === true ? DEFAULT_PAUSE : watch, async () => {
          const stats = await readStats(queue.engine, { failedWithin, limit: LIMIT });
          show(
            context,
            () => {
              if (options.json) {
                context.output.json(statsAsJson(stats), watch !== undefined);
              } else {
                context.output.print(...renderStats(name, stats, context.output));
              }
            },
            watch !== undefined && !options.json,
          );
        });
      });
    });
};

function show({ output }: Context, print: () => void, replaces: boolean): void {
  if (replaces && output.isTerminal) {
    output.clear();
  }
  print();
}

/** Once, or until the process is interrupted: then the connection is closed in order. */
async function repeatWhile(pause: number | undefined, step: () => Promise<void>): Promise<void> {
  await step();
  if (pause === undefined) {
    return;
  }
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  while (!interrupted.signal.aborted) {
    await sleep(Math.max(pause, SHORTEST_PAUSE), undefined, { signal: interrupted.signal }).catch(() => undefined);
    if (!interrupted.signal.aborted) {
      await step();
    }
  }
}
