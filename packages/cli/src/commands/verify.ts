import { dirname, resolve } from 'node:path';

import { defined } from '@tablequeue/typeorm/internal';
import type { Verdict } from '@tablequeue/verify';
import { Option } from 'commander';

import { type DatabaseType, driverFile } from '../connection/driver.js';
import { findTarget } from '../connection/find-target.js';
import type { Context } from '../context.js';
import { ExitCode } from '../exit-code.js';
import { type AddCommand, type CommonOptions, addConnectedCommand, parseCount, parseDuration } from './command.js';

interface VerifyCommandOptions extends Omit<CommonOptions, 'prefix'> {
  readonly duration: number;
  readonly jobs?: number;
  readonly rate?: number;
  readonly workers?: number;
  readonly seed?: number;
}

/** `tablequeue verify` */
export const addVerify: AddCommand = (program, context) => {
  addConnectedCommand(
    program,
    'verify',
    'Tests the guarantees of the queue on your database, with injected faults. It creates its own tables, tqv_*, ' +
      'and drops them afterwards. Exits with 1 if a guarantee is broken.',
    ['verify --url mariadb://root@127.0.0.1/test', 'verify --duration 10m --workers 6', 'verify --seed 42 --json'],
  )
    .addOption(
      new Option('--duration <duration>', 'how long jobs are enqueued and faults occur')
        .argParser(parseDuration)
        .default(60_000, '1m'),
    )
    .option('--jobs <jobs>', 'end the load after about so many jobs (default: no limit)', parseCount)
    .option('--rate <rate>', 'about how many jobs are enqueued in a second (default: 80)', parseCount)
    .option('--workers <workers>', 'the number of worker processes, 2 to 50 (default: 3)', parseCount)
    .option('--seed <seed>', 'repeat the load and the faults of another run (default: random)', parseCount)
    .action(async (options: VerifyCommandOptions) => {
      const verdict = await runVerify(options, context);
      if (options.json) {
        context.output.json(verdict);
      } else {
        const { describeVerdict } = await import('@tablequeue/verify');
        context.output.print(...describeVerdict(verdict, (style, text) => context.output.style(style, text)));
      }
      if (!verdict.isGood) {
        context.exitCode = ExitCode.failed;
      }
    });
};

async function runVerify(options: VerifyCommandOptions, context: Context): Promise<Verdict> {
  const target = await findTarget(options, context);
  const ended = new AbortController();
  const end = (signal: NodeJS.Signals) => ended.abort(new Error(`Ended by ${signal}.`));
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end);
  try {
    // Imported here, because the other commands do not need it.
    const { verify } = await import('@tablequeue/verify');
    const { dataSource, duration, jobs, rate, workers, seed } = options;
    const folder = dataSource === undefined ? context.folder : dirname(resolve(context.folder, dataSource));
    const { driver: _driver, ...dataSourceOptions } = target.options as typeof target.options & { driver?: unknown };
    return await verify({
      dataSourceOptions: dataSourceOptions as typeof target.options,
      driver: driverFile(target.options.type as DatabaseType, folder),
      durationMs: duration,
      ...defined({ jobs, rate, workers, seed }),
      signal: ended.signal,
      onProgress: (line) => context.output.note(line),
    });
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end);
    await target.release();
  }
}
