import { useQueue } from '../connection/open.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand } from './command.js';

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
