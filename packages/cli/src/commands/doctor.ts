import { type Finding, type FindingStatus, examineDatabase } from '@tablequeue/typeorm/doctor';
import { defined } from '@tablequeue/typeorm/internal';

import { migrateCommand } from '../connection/migrate-command.js';
import { useQueue } from '../connection/open.js';
import { ExitCode } from '../exit-code.js';
import type { Output, Style } from '../terminal/output.js';
import { countOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseCount, parseDuration } from './command.js';

interface DoctorCommandOptions extends CommonOptions {
  readonly maxPayloadBytes?: number;
  readonly maxTransactionAge?: number;
}

const STYLES: Readonly<Record<FindingStatus, Style>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  unknown: 'cyan',
};

/** `tablequeue doctor` */
export const addDoctor: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'doctor',
    'Examines the server, the sessions, the tables and the plan of the claim, and suggests fixes. It changes ' +
      'nothing. Exits with 1 if it finds a problem.',
    ['doctor', 'doctor --data-source ./dist/data-source.js', 'doctor --json'],
  )
    .option('--max-payload-bytes <bytes>', "the queue's maxPayloadBytes (default: 1048576)", parseCount)
    .option(
      '--max-transaction-age <duration>',
      'report open transactions from this age on (default: 1m)',
      parseDuration,
    )
    .action(async (options: DoctorCommandOptions) => {
      await useQueue({ ...options, mayLackTables: true }, context, async ({ name, dataSource }) => {
        const { maxPayloadBytes, maxTransactionAge } = options;
        const found = await examineDatabase(dataSource, defined({ maxPayloadBytes, maxTransactionAge }));
        const findings = found.map((finding) => onSameDatabase(finding, options));
        if (options.json) {
          context.output.json({ database: name, findings, counts: countsOf(findings) });
        } else {
          context.output.print(...render(name, findings, context.output));
        }
        if (findings.some(({ status }) => status === 'problem')) {
          context.exitCode = ExitCode.failed;
        }
      });
    });
};

/** Repeats the options of this command in the advice to migrate. */
function onSameDatabase(finding: Finding, options: CommonOptions): Finding {
  const change = finding.change.map((step) => {
    return step.replace(/npx tablequeue migrate(?: --prefix \w+)?/, () => migrateCommand(options));
  });
  return { ...finding, change };
}

function render(name: string, findings: readonly Finding[], output: Output): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, found, why, change }) => [
    `${output.style(STYLES[status], status.padEnd(7))}  ${check.padEnd(width)}  ${found}`,
    ...(why === undefined ? [] : [`${' '.repeat(width + 11)}${why}`]),
    ...change.map((step) => `${' '.repeat(width + 11)}${output.style('bold', `→ ${step}`)}`),
  ]);
  const { ok, warning, problem, unknown } = countsOf(findings);
  const summary = `${ok} ok, ${countOf(warning, 'warning')}, ${countOf(problem, 'problem')}, ${unknown} unknown`;
  return [output.style('bold', name), '', ...lines, '', summary];
}

function countsOf(findings: readonly Finding[]): Record<FindingStatus, number> {
  const counts = { ok: 0, warning: 0, problem: 0, unknown: 0 };
  findings.forEach(({ status }) => counts[status]++);
  return counts;
}
