import type { TableQueue } from '@tablequeue/typeorm';
import { readStats } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Output } from '../terminal/output.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand } from './command.js';

/** `tablequeue pause <queue>` */
export const addPause: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'pause', 'Pauses a queue in all processes. Running jobs continue.', ['pause mail'])
    .argument('<queue>', 'the name of the queue')
    .action(async (name: string, options: CommonOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        await noteUnknownQueue(queue, name, context.output);
        await queue.control.pause(name);
        const state = (await queue.control.list()).find((each) => each.queue === name);
        if (options.json) {
          context.output.json({ queue: name, pausedAt: state?.pausedAt });
        } else {
          context.output.print(`Paused ${name} since ${state?.pausedAt?.toISOString()}.`);
        }
      });
    });
};

/** `tablequeue resume <queue>` */
export const addResume: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'resume', 'Resumes a paused queue.', ['resume mail'])
    .argument('<queue>', 'the name of the queue')
    .action(async (name: string, options: CommonOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        const wasPaused = (await queue.control.list()).some((each) => each.queue === name && each.pausedAt);
        await queue.control.resume(name);
        if (options.json) {
          context.output.json({ queue: name, wasPaused });
        } else {
          context.output.print(wasPaused ? `Resumed ${name}.` : `${name} was not paused.`);
        }
      });
    });
};

/**
 * Prints a note if no job, worker or schedule uses the name: a queue needs no row to exist, so it may be a typing
 * error.
 */
export async function noteUnknownQueue({ engine }: TableQueue, name: string, output: Output): Promise<void> {
  const { queues, workers, schedules } = await readStats(engine, { failedWithin: 0, limit: 1 });
  const known = new Set([
    ...queues.map(({ queue }) => queue),
    ...workers.flatMap((worker) => worker.queues),
    ...schedules.map(({ queue }) => queue),
  ]);
  if (!known.has(name)) {
    const others = known.size > 0 ? ` Queues in use: ${[...known].sort().join(', ')}.` : '';
    output.note(`Note: no job, worker or schedule uses the queue "${name}" at present.${others}`);
  }
}
