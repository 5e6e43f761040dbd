import { useQueue } from '../connection/open.js';
import { ExitCode } from '../exit-code.js';
import { type Column, renderTable } from '../terminal/table.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, assertIds, parseWho } from './command.js';

/** `tablequeue blocked` */
export const addBlocked: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'blocked',
    'Lists order keys that are blocked because a job has failed, those that have been blocked longest first.',
    ['blocked', 'blocked --json'],
  ).action(async (options: CommonOptions) => {
    await useQueue(options, context, async ({ queue }) => {
      const { keys, next } = await queue.jobs.listBlockedKeys({ limit: MOST_SHOWN });
      if (options.json) {
        context.output.json({ keys, isComplete: next === undefined });
      } else if (keys.length === 0) {
        context.output.print('No order key is blocked.');
      } else {
        const rows = keys.map(({ name, key, jobId, blockedAt, behind }) => {
          return [name, key, jobId, blockedAt.toISOString(), String(behind)];
        });
        renderTable(COLUMNS, rows).forEach((line) => context.output.print(line));
        context.output.print(
          `${next ? `Only the first ${MOST_SHOWN} are shown. ` : ''}Retry the jobs, or go on without them: skip <ids>.`,
        );
      }
    });
  });
};

const MOST_SHOWN = 100;

const COLUMNS: readonly Column[] = [
  { title: 'name' },
  { title: 'order key' },
  { title: 'failed job' },
  { title: 'blocked since' },
  { title: 'behind', isNumber: true },
];

/** `tablequeue skip <ids…>` */
export const addSkip: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'skip',
    'Goes on without failed jobs that block their order keys: the next job of each key runs.',
    ['skip 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d --by ada'],
  )
    .argument('<ids...>', 'ids of failed jobs that block their order keys')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .action(async (ids: readonly string[], options: CommonOptions & { readonly by?: string }) => {
      assertIds(ids);
      await useQueue(options, context, async ({ queue }) => {
        const { changed, skipped } = await queue.jobs.skip(ids, { by: options.by ?? null });
        if (options.json) {
          context.output.json({ skipped: changed, unchanged: skipped });
        } else {
          const others = skipped > 0 ? ` Jobs that block no order key, or are locked: ${skipped}.` : '';
          context.output.print(`Jobs skipped: ${changed}.${others}`);
        }
        if (skipped > 0) {
          context.exitCode = ExitCode.failed;
        }
      });
    });
};
