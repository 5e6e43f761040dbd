import { useQueue } from '../connection/open.js';
import { countOf, spanOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseDuration } from './command.js';

/** `tablequeue prune --older-than <duration>` */
export const addPrune: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'prune',
    'Deletes finished jobs, of any outcome, in small batches. It deletes them at once: "bulk delete" counts them ' +
      'first. Workers prune automatically, see the option retention.',
    ['prune --older-than 30d', 'bulk delete --state succeeded --older-than 30d'],
  )
    .requiredOption('--older-than <duration>', 'only jobs that finished longer ago: 12h, 30d', parseDuration)
    .action(async (options: CommonOptions & { readonly olderThan: number }) => {
      await useQueue(options, context, async ({ queue }) => {
        const deleted = await queue.prune(options.olderThan);
        if (options.json) {
          context.output.json({ deleted });
        } else {
          context.output.print(
            `Deleted ${countOf(deleted, 'job')} that finished more than ${spanOf(options.olderThan)} ago.`,
          );
        }
      });
    });
};
