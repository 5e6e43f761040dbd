import type { CancelCounts, CancelFilter, TableQueue } from '@tablequeue/typeorm';
import { countCancellable, defined, isLive } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { ExitCode } from '../exit-code.js';
import { countOf } from '../terminal/words.js';
import {
  type AddCommand,
  type CommonOptions,
  addDatabaseCommand,
  assertIds,
  onlyOf,
  parseDuration,
  parseWho,
} from './command.js';

interface CancelOptions extends CommonOptions {
  readonly key?: string;
  readonly queue?: string;
  readonly name?: string;
  readonly olderThan?: number;
  readonly by?: string;
  readonly yes?: boolean;
}

/** `tablequeue cancel [ids…]` */
export const addCancel: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'cancel',
    'Cancels unfinished jobs. Running jobs receive an abort signal. Give ids, or select jobs by key or queue. A ' +
      'selection only counts the jobs, unless --yes is given.',
    [
      'cancel 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d --by ada',
      'cancel --key order:42 --yes',
      'cancel --queue mail --name email.send --older-than 12h',
    ],
  )
    .argument('[ids...]', 'ids of jobs')
    .option('--key <key>', 'jobs with this key')
    .option('--queue <queue>', 'jobs of this queue')
    .option('--name <name>', 'only jobs with this name')
    .option('--older-than <duration>', 'only jobs of the queue that are at least this old', parseDuration)
    .option('--by <who>', 'your name, for the audit log; only with ids', parseWho)
    .option('--yes', 'cancel the selected jobs')
    .action(async (ids: readonly string[], options: CancelOptions) => {
      assertOneSelection(ids, options);
      assertIds(ids);
      await useQueue(options, context, ({ queue }) => {
        return ids.length > 0 ? cancelEach(queue, ids, options, context) : cancelMany(queue, options, context);
      });
    });
};

function assertOneSelection(ids: readonly string[], { key, queue, name, olderThan, by }: CancelOptions): void {
  const selections = [ids.length > 0, key !== undefined, queue !== undefined].filter(Boolean).length;
  if (selections !== 1) {
    throw new UsageError(
      selections === 0 ? 'Which jobs? Give ids, --key or --queue.' : 'Give only one of ids, --key and --queue.',
    );
  }
  if (ids.length > 0 && name !== undefined) {
    throw new UsageError('--name requires --key or --queue.');
  }
  if (queue === undefined && olderThan !== undefined) {
    throw new UsageError('--older-than requires --queue.');
  }
  if (ids.length === 0 && by !== undefined) {
    throw new UsageError('--by requires ids. To record the cancellation of many jobs, use "bulk cancel".');
  }
}

async function cancelEach(
  queue: TableQueue,
  ids: readonly string[],
  { json, by }: CancelOptions,
  context: Context,
): Promise<void> {
  const results: { id: string; result: string }[] = [];
  for (const id of ids) {
    const { changed } = await queue.jobs.cancel(id, { by: by ?? null });
    // A running job goes on until its handler follows the request.
    const isEnded = changed > 0 && (await queue.find(id))?.state === 'cancelled';
    results.push({ id, result: changed === 0 ? 'none' : isEnded ? 'cancelled' : 'requested' });
  }
  const texts: Record<string, string> = {
    cancelled: 'is cancelled.',
    requested: 'is running, and was asked to stop.',
    none: 'has ended or does not exist.',
  };
  if (json) {
    context.output.json(results);
  } else {
    results.forEach(({ id, result }) => context.output.print(`${id} ${texts[result]}`));
  }
  if (results.some(({ result }) => result === 'none')) {
    context.exitCode = ExitCode.failed;
  }
}

async function cancelMany(queue: TableQueue, options: CancelOptions, { output }: Context): Promise<void> {
  const { yes = false, json } = options;
  const counts = yes ? await cancelMatching(queue, options) : await countMatching(queue, options);
  if (json) {
    output.json({ ...counts, done: yes });
  } else if (yes) {
    output.print(`${countOf(counts.cancelled, 'job')} cancelled, ${counts.requested} running asked to stop.`);
  } else if (counts.cancelled + counts.requested === 0) {
    output.print('No job matches.');
  } else {
    output.print(
      `${countOf(counts.cancelled, 'job')} would be cancelled, ${counts.requested} running asked to stop. ` +
        'Nothing was changed. Repeat the command with --yes.',
    );
  }
}

async function cancelMatching(queue: TableQueue, options: CancelOptions): Promise<CancelCounts> {
  const { key, name } = options;
  return key === undefined
    ? queue.cancelMany(filterOf(options))
    : queue.cancelByKey(key, defined({ only: onlyOf(name) }));
}

async function countMatching(queue: TableQueue, options: CancelOptions): Promise<CancelCounts> {
  const { key, name } = options;
  if (key === undefined) {
    return countCancellable(queue.engine, filterOf(options));
  }
  const jobs = (await queue.findByKey(key)).filter((job) => {
    return isLive(job.state) && (name === undefined || job.name === name);
  });
  const requested = jobs.filter(({ state }) => state === 'running').length;
  return { cancelled: jobs.length - requested, requested };
}

function filterOf({ queue = '', name, olderThan }: CancelOptions): CancelFilter {
  return { queue, ...defined({ olderThan, only: onlyOf(name) }) };
}
