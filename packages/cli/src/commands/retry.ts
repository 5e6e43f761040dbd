import type { JobFilter, TableQueue } from '@tablequeue/typeorm';
import { OUTCOMES, defined, executeRead, readClock } from '@tablequeue/typeorm/internal';

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
  parseDuration,
  parseWho,
} from './command.js';

interface RetryOptions extends CommonOptions {
  readonly queue?: string;
  readonly name?: string;
  readonly error?: string;
  readonly olderThan?: number;
  readonly newerThan?: number;
  readonly all?: boolean;
  readonly by?: string;
  readonly yes?: boolean;
}

/** `tablequeue retry [ids…]` */
export const addRetry: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'retry',
    'Retries failed jobs. Give ids, also of cancelled or expired jobs, or select failed jobs with filters. A ' +
      'selection only counts the jobs, unless --yes is given.',
    [
      'retry 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d --by ada',
      'retry --queue mail --error ECONNREFUSED --newer-than 2h',
      'retry --queue mail --error ECONNREFUSED --newer-than 2h --yes',
    ],
  )
    .argument('[ids...]', 'ids of failed, cancelled or expired jobs')
    .option('--queue <queue>', 'failed jobs of this queue')
    .option('--name <name>', 'failed jobs with this name')
    .option('--error <text>', 'only jobs whose error contains this text')
    .option('--newer-than <duration>', 'only jobs that failed within this time', parseDuration)
    .option('--older-than <duration>', 'only jobs that failed longer ago', parseDuration)
    .option('--all', 'all failed jobs')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--yes', 'retry the selected jobs')
    .action(async (ids: readonly string[], options: RetryOptions) => {
      const isFilter = hasFilter(options);
      if (ids.length > 0 === isFilter) {
        throw new UsageError(
          isFilter ? 'Give ids or filters, not both.' : 'Which jobs? Give ids, a filter such as --queue, or --all.',
        );
      }
      assertIds(ids);
      await useQueue(options, context, ({ queue }) =>
        isFilter ? retryMany(queue, options, context) : retryEach(queue, ids, options, context),
      );
    });
};

function hasFilter({ queue, name, error, olderThan, newerThan, all }: RetryOptions): boolean {
  return [queue, name, error, olderThan, newerThan, all].some((value) => value !== undefined);
}

async function retryEach(
  queue: TableQueue,
  ids: readonly string[],
  { json, by }: RetryOptions,
  context: Context,
): Promise<void> {
  const results: { id: string; retried: boolean; holder?: string }[] = [];
  for (const id of ids) {
    const { changed, conflict } = await queue.jobs.retry(id, { by: by ?? null });
    results.push({ id, retried: changed > 0, ...(conflict && { holder: conflict.id }) });
  }
  if (json) {
    context.output.json(results);
  } else {
    for (const { id, retried, holder } of results) {
      context.output.print(`${id} ${retried ? 'is retried.' : await refusalOf(queue, id, holder)}`);
    }
  }
  if (results.some(({ retried }) => !retried)) {
    context.exitCode = ExitCode.failed;
  }
}

const RETRYABLE = new Set<string | undefined>(OUTCOMES.filter((outcome) => outcome !== 'succeeded'));

async function refusalOf(queue: TableQueue, id: string, holder: string | undefined): Promise<string> {
  if (holder !== undefined) {
    return `cannot be retried: job ${holder} has its unique key.`;
  }
  return RETRYABLE.has((await queue.find(id))?.state)
    ? 'cannot be retried: another transaction has locked it, or it is a child of a durable job. Retry that job.'
    : 'is not a failed, cancelled or expired job.';
}

async function retryMany(queue: TableQueue, options: RetryOptions, { output }: Context): Promise<void> {
  const filter = await filterOf(queue, options);
  if (!options.yes) {
    const { count: matching, isCapped } = await queue.jobs.preview('retry', filter);
    if (options.json) {
      output.json({ matching, isCapped, retried: 0 });
    } else if (matching === 0 && !isCapped) {
      output.print('No job matches.');
    } else {
      output.print(
        `${isCapped ? 'At least ' : ''}${countOf(matching, 'failed job')} would be retried. Nothing was changed. ` +
          'Repeat the command with --yes.',
      );
    }
    return;
  }
  const { id } = await queue.bulk.start({ action: 'retry', filter, by: options.by ?? null });
  const { changed: retried = 0, skipped = 0 } = (await queue.bulk.run(id)) ?? {};
  if (options.json) {
    output.json({ id, matching: retried + skipped, retried, skipped });
  } else {
    const others =
      skipped > 0
        ? ` Not retried: ${countOf(skipped, 'job')} that had changed meanwhile or whose unique key another job has.`
        : '';
    output.print(`${countOf(retried, 'job')} retried.${others}`);
  }
}

/** Ages use the database's clock, as all times of the queue do. */
async function filterOf({ engine }: TableQueue, options: RetryOptions): Promise<JobFilter> {
  const now = await executeRead(engine, 'read the clock', readClock);
  const { queue, name, error, olderThan, newerThan } = options;
  const before = (age: number | undefined) => (age === undefined ? undefined : new Date(now - age));
  return {
    state: 'failed',
    ...defined({ queue, name, errorIncludes: error, from: before(newerThan), before: before(olderThan) }),
  };
}
