import type { HealthProblem, HealthSeverity, QueueHealth } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import { ExitCode } from '../exit-code.js';
import type { Output, Style } from '../terminal/output.js';
import { countOf, timeOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseDuration } from './command.js';

interface StatusCommandOptions extends CommonOptions {
  readonly maxBacklogAge?: number;
  readonly maxTransactionAge?: number;
}

const STYLES: Readonly<Record<HealthSeverity, Style>> = { critical: 'red', warning: 'yellow', notice: 'cyan' };

/** `tablequeue status` */
export const addStatus: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'status',
    'Shows whether all is well, or what is wrong, worst first. Exits with 1 if something is wrong; notices do not ' +
      'count.',
    ['status', 'status --max-backlog-age 2m', 'status --json'],
  )
    .option('--max-backlog-age <duration>', 'how long jobs may be due (default: a warning from 5m on)', parseDuration)
    .option(
      '--max-transaction-age <duration>',
      'how long a transaction may be open (default: a warning from 15m on)',
      parseDuration,
    )
    .action(async (options: StatusCommandOptions) => {
      await useQueue(options, context, async ({ name, queue }) => {
        const { maxBacklogAge, maxTransactionAge } = options;
        const health = await queue.health(defined({ maxBacklogAge, maxTransactionAge }));
        if (options.json) {
          const { status, problems, oldestTransaction, backlog } = health;
          context.output.json({ database: name, status, problems, backlog, oldestTransaction });
        } else {
          context.output.print(...render(name, health, context.output));
        }
        if (health.problems.some(needsAction)) {
          context.exitCode = ExitCode.failed;
        }
      });
    });
};

function needsAction({ severity }: HealthProblem): boolean {
  return severity !== 'notice';
}

function render(name: string, { problems }: QueueHealth, output: Output): string[] {
  const count = problems.filter(needsAction).length;
  const notices = problems.length - count;
  const verdict = count === 0 ? output.style('green', 'All is well') : output.style('bold', countOf(count, 'problem'));
  const lines = problems.flatMap(({ severity, message, since, action }) => [
    '',
    `${output.style(STYLES[severity], severity.padEnd(8))}  ${message}${since ? ` Since ${timeOf(since.getTime())}.` : ''}`,
    `${' '.repeat(10)}${output.style('bold', `→ ${action}`)}`,
  ]);
  return [
    output.style('bold', name),
    '',
    `${verdict}${notices === 0 ? '' : `, ${countOf(notices, 'notice')}`}.`,
    ...lines,
  ];
}
