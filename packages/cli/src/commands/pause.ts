import { useQueue } from '../connection/open.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand } from './command.js';
import { noteUnknownQueue } from './known-queues.js';

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
