import { type Duration, defineEvent } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';
import { InvalidArgumentError } from 'commander';

import { useQueue } from '../connection/open.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseDuration } from './command.js';

interface ReplayOptions extends CommonOptions {
  readonly from: Duration | Date;
  readonly to?: Date;
}

/** `tablequeue replay <event> <subscription>` */
export const addReplay: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'replay',
    'Gives a subscription the events of a period again, also those that it has handled. A worker stores the jobs.',
    [
      'replay order.paid mailing --from 2h',
      'replay order.paid mailing --from 2026-11-28T09:00Z --to 2026-11-28T10:30Z',
    ],
  )
    .argument('<event>', 'the name of the event')
    .argument('<subscription>', 'the name of the subscription')
    .requiredOption('--from <time>', 'from this time on: 2026-11-28T09:00Z, or 2h for two hours ago', parseFrom)
    .option('--to <time>', 'before this time (default: all events up to the present)', parseTime)
    .action(async (event: string, name: string, { from, to, ...options }: ReplayOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        const { id } = await queue.subscriptions.replay(defineEvent(event), name, { from, ...defined({ to }) });
        if (options.json) {
          context.output.json({ id });
        } else {
          context.output.print(`The replay is job ${id}. Follow it: tablequeue job ${id}`);
        }
      });
    });
};

function parseFrom(text: string): Duration | Date {
  if (/^\d{4}-/.test(text)) {
    return parseTime(text);
  }
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError(
      'It must be a time with its time zone, such as 2026-11-28T09:00Z, or a duration with its unit, such as 2h.',
    );
  }
}

/** Without a time zone, a time would mean another one on each machine. */
function parseTime(text: string): Date {
  const time = new Date(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? text : Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('It must be a time with its time zone, such as 2026-11-28T09:00Z.');
  }
  return time;
}
