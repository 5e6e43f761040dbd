import { LockTimeoutError, type TableQueue } from '@tablequeue/typeorm';
import { JobImports } from '@tablequeue/typeorm/internal';
import { InvalidArgumentError } from 'commander';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { printImport } from '../import/print-import.js';
import { useRedis } from '../import/redis-client.js';
import { runImport } from '../import/run-import.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand } from './command.js';

/** A server needs a moment to notice that an import was killed. In ms. */
const LOCK_TIMEOUT = 2_000;

const ANOTHER_RUNS =
  'Another import into this database is running. Run this one after it. On SQLite one that was killed counts for 30 s.';

interface ImportOptions extends CommonOptions {
  readonly from?: string;
  readonly redis?: string;
  readonly redisPrefix: string;
  readonly queue: readonly string[];
  readonly rename: ReadonlyMap<string, string>;
  readonly copy?: boolean;
  readonly move?: boolean;
  readonly forget?: boolean;
}

/** `tablequeue import --from bullmq --redis <url>` */
export const addImport: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'import',
    'Imports jobs from the Redis of BullMQ 4 to 6, or Bull 4. Without --copy or --move it only lists what can be ' +
      'imported, what cannot, and why. If it is interrupted, run it again: each job is stored once.',
    [
      'import --from bullmq --redis redis://localhost:6379',
      'import --from bullmq --redis redis://localhost:6379 --queue mail --move',
      'import --forget',
    ],
  )
    .option('--from <library>', 'the library: bullmq, also for Bull')
    .option('--redis <url>', 'redis://user:password@host:6379/0, or rediss://… for TLS')
    .option('--redis-prefix <prefix>', 'the prefix of the keys in Redis', 'bull')
    .option('--queue <queue>', 'only this queue; can be repeated (default: all)', addTo, [])
    .option('--rename <old=new>', 'another name for jobs; can be repeated', addName, new Map())
    .option('--copy', 'store the jobs, and leave Redis as it is; the queues must be paused, without active jobs')
    .option('--move', 'take the jobs out of Redis, and store them')
    .option('--forget', 'when all queues are imported: drop the table of the imported ids')
    .action((options: ImportOptions) => importFrom(options, context));
};

async function importFrom(options: ImportOptions, context: Context): Promise<void> {
  const { from, redis: url, redisPrefix, queue: queues, rename: names, copy, move, forget, json } = options;
  if (forget) {
    if (from ?? url ?? copy ?? move) {
      throw new UsageError('--forget cannot be combined with --from, --redis, --copy or --move.');
    }
    await useQueue(options, context, ({ queue }) => new JobImports(queue).forget());
    context.output.print('The table of the imported ids is dropped. Do not import the same queues again.');
    return;
  }
  if (from !== 'bullmq') {
    throw new UsageError(`--from is ${from ?? 'missing'}. Give --from bullmq, also for Bull.`);
  }
  if (url === undefined) {
    throw new UsageError('Which Redis? Give --redis redis://host:6379.');
  }
  if (copy && move) {
    throw new UsageError('Give --copy or --move, not both.');
  }
  const mode = copy ? 'copy' : move ? 'move' : 'plan';
  await useQueue(options, context, ({ queue }) =>
    useRedis(url, context, async (redis) => {
      const startedAt = performance.now();
      const run = () => runImport(redis, queue, { mode, redisPrefix, queues, names });
      const result = mode === 'plan' ? await run() : await runAlone(queue, run);
      const { report, journaled } = result;
      if (json) {
        const counts = [...report.counts].map(([name, states]) => ({
          queue: name,
          states: Object.fromEntries(states),
        }));
        const { refusals, notes } = report;
        context.output.json({ mode, queues: result.queues, counts, refusals, notes, journaled });
        return;
      }
      printImport(context.output, result, mode);
      const seconds = (performance.now() - startedAt) / 1_000;
      const rate = Math.round(report.total('found') / seconds);
      context.output.note(`${report.total('found')} jobs in ${seconds.toFixed(1)} s, ${rate} jobs/s`);
    }),
  );
}

/** Of two imports that store the same job, one would fail at its id. */
async function runAlone<T>(queue: TableQueue, run: () => Promise<T>): Promise<T> {
  const lock = queue.lock('tablequeue:import');
  try {
    await lock.acquire({ timeout: LOCK_TIMEOUT });
  } catch (error) {
    throw error instanceof LockTimeoutError ? new UsageError(ANOTHER_RUNS, { cause: error }) : error;
  }
  try {
    return await run();
  } finally {
    await lock.release();
  }
}

function addTo(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function addName(value: string, previous: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = value.lastIndexOf('=');
  if (at < 1) {
    throw new InvalidArgumentError("It must be 'old=new'.");
  }
  return new Map([...previous, [value.slice(0, at), value.slice(at + 1)]]);
}
