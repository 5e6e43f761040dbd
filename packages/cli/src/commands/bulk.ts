import type { BulkAction, BulkOperation, JobFilter, TableQueue } from '@tablequeue/typeorm';
import { BULK_ACTIONS, defined, executeRead, readClock, resolveBulkRequest } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { ExitCode } from '../exit-code.js';
import { renderTable } from '../terminal/table.js';
import { countOf, timeOf } from '../terminal/words.js';
import { assertBulkArguments } from './bulk-arguments.js';
import {
  type AddCommand,
  type CommonOptions,
  addDatabaseCommand,
  parseDuration,
  parseInteger,
  parseWho,
} from './command.js';

interface BulkOptions extends CommonOptions {
  readonly state?: JobFilter['state'];
  readonly queue?: string;
  readonly name?: string;
  readonly key?: string;
  readonly tenant?: string;
  readonly error?: string;
  readonly fingerprint?: string;
  readonly newerThan?: number;
  readonly olderThan?: number;
  readonly priority?: number;
  readonly to?: string;
  readonly by?: string;
  readonly yes?: boolean;
}

const COLUMNS = ['id', 'action', 'state', 'jobs', 'started', 'by'].map((title) => ({ title }));

/** How many operations `bulk list` prints. */
const MOST_LISTED = 20;

/** `tablequeue bulk <what>` */
export const addBulk: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'bulk',
    'Applies an action to all jobs that match. It only counts them, unless --yes is given. An operation goes on after ' +
      'a crash, or after Ctrl+C, if a worker runs. Also lists, stops and resumes operations.',
    [
      'bulk retry --state failed --queue mail --error ECONNREFUSED --by ada --yes',
      'bulk move --state ready --queue mail --to slow-mail --yes',
      'bulk list',
      'bulk stop 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d',
    ],
  )
    .argument('<what>', `${BULK_ACTIONS.join(', ')}; or list, stop or resume`)
    .argument('[id]', 'the operation to stop or to resume')
    .option('--state <state>', 'only jobs of this state; required for an action')
    .option('--queue <queue>', 'only jobs of this queue')
    .option('--name <name>', 'only jobs with this name')
    .option('--key <key>', 'only jobs with this key')
    .option('--tenant <tenant>', 'only jobs of this tenant')
    .option('--error <text>', 'only jobs whose last error contains this text')
    .option('--fingerprint <fingerprint>', 'only jobs whose last error has this fingerprint: see "failures"')
    .option('--newer-than <duration>', 'only jobs that ended, or were due, within this time', parseDuration)
    .option('--older-than <duration>', 'only jobs that ended, or were due, longer ago', parseDuration)
    .option('--priority <number>', 'the new priority, for the action priority', parseInteger)
    .option('--to <queue>', 'the new queue, for the action move')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--yes', 'start the operation')
    .action(async (what: string, id: string | undefined, options: BulkOptions) => {
      assertBulkArguments(what, id, options);
      await useQueue(options, context, async ({ queue }) => {
        if (what === 'list') {
          await list(queue, options, context);
        } else if (what === 'stop') {
          printEnd(await queue.bulk.stop(id as string, { by: options.by ?? null }), options, context);
        } else if (what === 'resume') {
          await runBulk(queue, id as string, options, context);
        } else {
          await start(queue, what as BulkAction, options, context);
        }
      });
    });
};

async function list({ bulk }: TableQueue, { json }: BulkOptions, { output }: Context): Promise<void> {
  const { operations } = await bulk.list({ limit: MOST_LISTED });
  if (json) {
    output.json(operations);
    return;
  }
  const rows = operations.map((operation) => {
    const { id, action, state, startedAt, by } = operation;
    return [id, action, state, progressOf(operation), timeOf(startedAt.getTime()), by ?? ''];
  });
  output.print(...(rows.length === 0 ? ['No bulk operations.'] : renderTable(COLUMNS, rows)));
}

async function start(queue: TableQueue, action: BulkAction, options: BulkOptions, context: Context): Promise<void> {
  const filter = await filterOf(queue, options);
  const { priority, to, by } = options;
  const request = { action, filter, ...defined({ priority, to, by }) };
  if (!options.yes) {
    // Refuses what `bulk.start` refuses.
    resolveBulkRequest(request);
    const { count, isCapped } = await queue.jobs.preview(action, filter);
    if (options.json) {
      context.output.json({ matching: count, isCapped });
    } else if (count === 0 && !isCapped) {
      context.output.print('No job matches.');
    } else {
      context.output.print(
        `${isCapped ? 'At least ' : ''}${countOf(count, 'job')} would be changed. Nothing was changed. ` +
          'Repeat the command with --yes.',
      );
    }
    return;
  }
  const { id } = await queue.bulk.start(request);
  await runBulk(queue, id, options, context);
}

/** Works on an operation until it has ended, and prints its progress. */
async function runBulk(queue: TableQueue, id: string, options: BulkOptions, context: Context): Promise<void> {
  let shown = '';
  const end = await queue.bulk.run(id, {
    onProgress: (operation) => {
      const progress = `${operation.action} ${id}: ${progressOf(operation)}`;
      if (!options.json && progress !== shown) {
        context.output.print(progress);
        shown = progress;
      }
    },
  });
  printEnd(end, options, context);
}

function printEnd(operation: BulkOperation | undefined, { json }: BulkOptions, context: Context): void {
  if (operation === undefined) {
    context.exitCode = ExitCode.failed;
  }
  if (json) {
    context.output.json(operation ?? null);
  } else if (operation === undefined) {
    context.output.error('There is no such operation. See "bulk list".');
  } else {
    const { action, state, changed, skipped } = operation;
    context.output.print(`${action} is ${state}: ${countOf(changed, 'job')} changed, ${skipped} skipped.`);
  }
}

function progressOf({ total, isCapped, changed, skipped }: BulkOperation): string {
  return total === undefined ? 'counting' : `${changed + skipped} of ${isCapped ? 'at least ' : ''}${total}`;
}

/** Ages use the database's clock, as all times of the queue do. */
async function filterOf({ engine }: TableQueue, options: BulkOptions): Promise<JobFilter> {
  const now = await executeRead(engine, 'read the clock', readClock);
  const { state, queue, name, key, tenant, error, fingerprint, olderThan, newerThan } = options;
  const before = (age: number | undefined) => (age === undefined ? undefined : new Date(now - age));
  return {
    state: state as JobFilter['state'],
    ...defined({
      queue,
      name,
      key,
      tenant,
      errorIncludes: error,
      errorFingerprint: fingerprint,
      from: before(newerThan),
      before: before(olderThan),
    }),
  };
}
