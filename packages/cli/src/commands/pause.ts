import type { TableQueue } from '@tablequeue/typeorm';
import { defined, readStats } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseWho } from './command.js';

interface ControlOptions extends CommonOptions {
  readonly by?: string;
  readonly reason?: string;
}

/** `tablequeue pause <queue>` */
export const addPause: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'pause', 'Pauses a queue in all processes. Running jobs continue.', [
    'pause mail',
    "pause mail --by ada --reason 'the mail server is down'",
  ])
    .argument('<queue>', 'the name of the queue')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--reason <text>', 'why, for the audit log')
    .action(async (name: string, options: ControlOptions) => {
      const { by, reason } = options;
      await useQueue(options, context, async ({ queue }) => {
        const note = await noteOnUnknownQueue(queue, name);
        await queue.control.pause(name, { by: by ?? null, ...defined({ reason }) });
        if (note !== undefined) {
          context.output.note(note);
        }
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
  addDatabaseCommand(program, 'resume', 'Resumes a paused queue.', ['resume mail', 'resume mail --by ada'])
    .argument('<queue>', 'the name of the queue')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .action(async (name: string, options: ControlOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        const wasPaused = (await queue.control.list()).some((each) => each.queue === name && each.pausedAt);
        await queue.control.resume(name, { by: options.by ?? null });
        if (options.json) {
          context.output.json({ queue: name, wasPaused });
        } else {
          context.output.print(wasPaused ? `Resumed ${name}.` : `${name} was not paused.`);
        }
      });
    });
};

/**
 * Returns a note if no job, worker or schedule uses the name: a queue needs no row to exist, so it may be a typing
 * error. Call it before the action, and print the note after it: a refused action needs none.
 */
export async function noteOnUnknownQueue({ engine }: TableQueue, name: string): Promise<string | undefined> {
  const { queues, workers, schedules } = await readStats(engine, { failedWithin: 0, limit: 1 });
  const known = new Set([
    ...queues.map(({ queue }) => queue),
    ...workers.flatMap((worker) => worker.queues),
    ...schedules.map(({ queue }) => queue),
  ]);
  if (known.has(name)) {
    return undefined;
  }
  const others = known.size > 0 ? ` Queues in use: ${[...known].sort().join(', ')}.` : '';
  return `Note: no job, worker or schedule uses the queue "${name}" at present.${others}`;
}
