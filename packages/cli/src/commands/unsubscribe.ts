import { subscriptionJobName } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import { ExitCode } from '../exit-code.js';
import { readSubscriptions, unfinishedOf } from './all-subscriptions.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand } from './command.js';

interface UnsubscribeOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** `tablequeue unsubscribe <event> <subscription>` */
export const addUnsubscribe: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'unsubscribe',
    'Removes a subscription of an event. Later events store no job for it; its present jobs stay. Without --yes it ' +
      'only shows what would be removed.',
    ['unsubscribe order.paid mailing', 'unsubscribe order.paid mailing --yes'],
  )
    .argument('<event>', 'the name of the event')
    .argument('<subscription>', 'the name of the subscription')
    .option('--yes', 'remove the subscription')
    .action(async (event: string, name: string, { yes = false, ...options }: UnsubscribeOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        const found = (await readSubscriptions(queue)).find((each) => each.event === event && each.name === name);
        const removed = yes && (await queue.subscriptions.remove(event, name));
        if (!found) {
          context.exitCode = ExitCode.failed;
        } else if (!found.unhandledSince) {
          context.output.note(
            'Note: a worker had its handler within the last five minutes. A worker that starts with the handler ' +
              'registers the subscription again, so deploy the code without it first.',
          );
        }
        if (options.json) {
          context.output.json({ event, name, exists: found !== undefined, removed });
        } else if (!found) {
          context.output.print(`${event} has no subscription "${name}".`);
        } else {
          const jobs = `its unfinished jobs (${unfinishedOf(found)}) stay: tablequeue cancel --queue ${found.queue} --name ${subscriptionJobName(event, name)}`;
          context.output.print(
            yes
              ? `Removed "${name}" of ${event}; ${jobs}`
              : `"${name}" of ${event} would be removed; ${jobs}\nNothing was changed. Repeat the command with --yes.`,
          );
        }
      });
    });
};
