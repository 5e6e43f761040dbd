import { setTimeout as sleep } from 'node:timers/promises';

import { readStats } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseDuration, parseInterval } from './command.js';
import { renderStats, statsAsJson } from './stats-report.js';

interface StatsCommandOptions extends CommonOptions {
  readonly watch?: number | true;
  readonly failedWithin: number;
}

/** The largest exact count. */
const LIMIT = 10_000;

const DEFAULT_INTERVAL = 2_000;
const SHORTEST_INTERVAL = 100;

/** `tablequeue stats` */
export const addStats: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'stats',
    'Shows the jobs of each queue, the workers and the schedules. It is equally fast with any number of jobs.',
    ['stats', 'stats --watch', 'stats --json --failed-within 1h'],
  )
    .option('--failed-within <duration>', 'count the jobs that failed within this time', parseDuration, 24 * 3_600_000)
    .option('--watch [interval]', 'repeat until interrupted (default: every 2s)', parseInterval)
    .action(async (options: StatsCommandOptions) => {
      await useQueue(options, context, async ({ name, queue }) => {
        const { watch, failedWithin } = options;
        await repeatEvery(watch === true ? DEFAULT_INTERVAL : watch, async () => {
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

/** Calls `step` once, or until the process is interrupted. The connection is then closed in order. */
async function repeatEvery(interval: number | undefined, step: () => Promise<void>): Promise<void> {
  await step();
  if (interval === undefined) {
    return;
  }
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  while (!interrupted.signal.aborted) {
    await sleep(Math.max(interval, SHORTEST_INTERVAL), undefined, { signal: interrupted.signal }).catch(
      () => undefined,
    );
    if (!interrupted.signal.aborted) {
      await step();
    }
  }
}
