import type { FailedError, FailedErrors } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { type Column, renderTable } from '../terminal/table.js';
import { countOf, timeOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseInteger } from './command.js';

interface FailuresOptions extends CommonOptions {
  readonly queue?: string;
  readonly limit?: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'jobs', isNumber: true },
  { title: 'error' },
  { title: 'queues' },
  { title: 'first' },
  { title: 'last' },
  { title: 'fingerprint' },
];

const OF_MUTED: readonly Column[] = [...COLUMNS, { title: 'muted until' }];

/** How many errors it prints, unless `--limit` is given. */
const MOST_SHOWN = 20;

/** `tablequeue failures` */
export const addFailures: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'failures',
    'Groups the latest failed jobs by error, the most frequent first. Pass a fingerprint to "bulk" to retry its jobs.',
    ['failures --queue mail', 'bulk retry --state failed --fingerprint 0f3a91c4d2b87e65 --by ada --yes'],
  )
    .option('--queue <queue>', 'only jobs of this queue')
    .option('--limit <number>', `how many errors to show, 1 to 1,000; default: ${MOST_SHOWN}`, parseInteger)
    .action(async (options: FailuresOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        const { queue: name, limit = MOST_SHOWN } = options;
        print(await queue.failed.errors({ limit, ...defined({ queue: name }) }), options, context);
      });
    });
};

function print(failures: FailedErrors, { json }: FailuresOptions, { output }: Context): void {
  if (json) {
    output.json(failures);
    return;
  }
  const { errors, examined, isComplete, since, omitted, encoded } = failures;
  if (since === undefined) {
    output.print('No failed jobs.');
    return;
  }
  const muted = errors.filter(({ mutedUntil }) => mutedUntil !== undefined);
  const others = errors.filter(({ mutedUntil }) => mutedUntil === undefined);
  output.print(
    ...(others.length === 0 ? [] : renderTable(COLUMNS, others.map(cellsOf))),
    ...(muted.length === 0 ? [] : ['Muted:', ...renderTable(OF_MUTED, muted.map(cellsOf))]),
    isComplete
      ? `${countOf(examined, 'failed job')}.`
      : `The latest ${countOf(examined, 'failed job')}, since ${timeOf(since.getTime())}. Older ones were not examined.`,
  );
  if (omitted.errors > 0) {
    output.print(`Not shown: ${countOf(omitted.errors, 'error')} of ${countOf(omitted.jobs, 'job')}.`);
  }
  if (encoded > 0) {
    output.print(`Not grouped, because a codec has encoded the error: ${countOf(encoded, 'job')}.`);
  }
}

function cellsOf({ count, title, queues, firstAt, lastAt, fingerprint, mutedUntil }: FailedError): string[] {
  const until = mutedUntil === undefined ? '' : timeOf(mutedUntil.getTime());
  const [first, last] = [timeOf(firstAt.getTime()), timeOf(lastAt.getTime())];
  return [String(count), title, queues.join(', '), first, last, fingerprint, until];
}
