import { TABLES_VERSION, downTableQueue, upTableQueue } from '@tablequeue/typeorm';
import { migrationStatements } from '@tablequeue/typeorm/internal';

import { type Database, useDatabase } from '../connection/open.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import type { Output } from '../terminal/output.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseCount } from './command.js';

interface MigrateOptions extends CommonOptions {
  readonly to?: number;
  readonly down?: boolean;
  readonly status?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** The steps of a migration. */
interface Plan {
  readonly from: number;
  readonly to: number;
  readonly latest: number;
  readonly missing: readonly string[];
  readonly statements: readonly string[];
}

/** `tablequeue migrate` */
export const addMigrate: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'migrate',
    'Creates the tables, or upgrades them to the latest version. An application with migrations calls upTableQueue ' +
      'in one of them instead.',
    ['migrate --status', 'migrate --dry-run', 'migrate', 'migrate --down --to 0 --yes'],
  )
    .option('--to <version>', 'the target version (default: the latest)', parseCount)
    .option('--status', 'only print the installed version')
    .option('--dry-run', 'only print the SQL')
    .option('--down', 'downgrade to the version of --to; 0 drops all tables with their jobs')
    .option('--yes', 'apply the downgrade')
    .action(async (options: MigrateOptions) => {
      assertUsage(options);
      const isReadOnly = options.down || options.status || options.dryRun;
      await useDatabase({ ...options, absentFile: isReadOnly ? 'empty' : 'create' }, context, (database) =>
        migrate(database, options, context),
      );
    });
};

function assertUsage({ to, down, status }: MigrateOptions): void {
  if (down && to === undefined) {
    throw new UsageError('--down requires --to, the target version.');
  }
  if (status && (down || to !== undefined)) {
    throw new UsageError('--status cannot be combined with --down or --to.');
  }
  if (to !== undefined && to > TABLES_VERSION) {
    throw new UsageError(`--to is ${to}, but the latest version of the tables in this release is ${TABLES_VERSION}.`);
  }
}

async function migrate(database: Database, options: MigrateOptions, { output }: Context): Promise<void> {
  const plan = planOf(database, options);
  const mayRun =
    !options.status && !options.dryRun && plan.statements.length > 0 && (!options.down || options.yes === true);
  if (mayRun) {
    await apply(database, plan, options.down === true);
  }
  if (options.json) {
    output.json({ ...plan, applied: mayRun });
  } else if (options.status) {
    printStatus(database, plan, output);
  } else {
    printRun(plan, options, mayRun, output);
  }
}

function planOf({ queryRunner, prefix, installed }: Database, options: MigrateOptions): Plan {
  const { version: from, missing } = installed;
  const isDown = options.down === true;
  // Also reverts the tables of a migration that stopped half-way.
  const present = isDown && missing.length > 0 ? from + 1 : from;
  const to = options.to ?? TABLES_VERSION;
  if (isDown ? to > present : to < from) {
    throw new UsageError(
      `The tables are at version ${from}. To reach version ${to}, repeat the command ` +
        `${isDown ? 'without' : 'with'} --down.`,
    );
  }
  const statements =
    present === to ? [] : migrationStatements(queryRunner, isDown ? 'down' : 'up', { prefix, from: present, to });
  return { from: present, to, latest: TABLES_VERSION, missing, statements };
}

async function apply({ queryRunner, prefix }: Database, plan: Plan, isDown: boolean): Promise<void> {
  const { from, to } = plan;
  if (isDown) {
    await downTableQueue(queryRunner, { prefix, from, to });
  } else {
    await upTableQueue(queryRunner, { prefix, from, to });
  }
}

function printStatus({ name, prefix }: Database, { from, latest, missing }: Plan, output: Output): void {
  const version = from === 0 ? 'missing' : `at version ${from}${from === latest ? ', the latest' : ` of ${latest}`}`;
  output.print(`The tables ${prefix}* of ${name} are ${version}.`);
  if (missing.length > 0) {
    output.print(`Version ${from + 1} is incomplete; missing: ${missing.join(', ')}.`);
  }
}

function printRun(plan: Plan, { dryRun, down }: MigrateOptions, wasApplied: boolean, output: Output): void {
  const { from, to, statements } = plan;
  if (statements.length === 0) {
    output.print(`Nothing to do: the tables are at version ${from}.`);
    return;
  }
  if (wasApplied) {
    output.print(`The tables are at version ${to}.`);
    return;
  }
  output.print(...statements.map((statement) => `${statement.replace(/^ {4}/gm, '')};`));
  if (down && !dryRun) {
    output.note('Nothing was changed. Repeat the command with --yes. The jobs in dropped tables are lost.');
  }
}
