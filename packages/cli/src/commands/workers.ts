import type { TableQueue, WorkerActivity } from '@tablequeue/typeorm';

import { useQueue } from '../connection/open.js';
import type { Output } from '../terminal/output.js';
import { UsageError } from '../errors.js';
import { type Column, renderTable } from '../terminal/table.js';
import { spanOf, timeOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseWho } from './command.js';

interface WorkersOptions extends CommonOptions {
  readonly by?: string;
}

const REQUESTS = {
  quiet: { method: 'quietWorker', effect: 'claims no more jobs. Its running jobs continue' },
  resume: { method: 'resumeWorker', effect: 'claims jobs again' },
  stop: { method: 'stopWorker', effect: 'finishes its jobs and ends. Its process goes on' },
} as const;

type Request = keyof typeof REQUESTS;

/** `tablequeue workers [what] [id]` */
export const addWorkers: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'workers',
    'Lists the workers of all processes. Also asks one of them to claim no more jobs (quiet), to claim jobs again ' +
      '(resume), or to end (stop).',
    ['workers', 'workers quiet 2841573921 --by ada', 'workers stop 2841573921'],
  )
    .argument('[what]', 'quiet, resume or stop')
    .argument('[id]', 'the id of the worker, as the list shows it')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .action(async (what: string | undefined, id: string | undefined, options: WorkersOptions) => {
      if (what !== undefined && !Object.hasOwn(REQUESTS, what)) {
        throw new UsageError(`"${what}" is none of ${Object.keys(REQUESTS).join(', ')}.`);
      }
      if (what !== undefined && !/^\d{1,10}$/.test(id ?? '')) {
        throw new UsageError(`${what} needs the id of a worker: a number that "tablequeue workers" lists.`);
      }
      await useQueue(options, context, async ({ queue }) => {
        if (what === undefined) {
          await list(queue, options, context.output);
        } else {
          await request(queue, what as Request, Number(id), options, context.output);
        }
      });
    });
};

async function request(
  queue: TableQueue,
  what: Request,
  id: number,
  { by, json }: WorkersOptions,
  output: Output,
): Promise<void> {
  const { method, effect } = REQUESTS[what];
  await queue.control[method](id, { by: by ?? null });
  if (json) {
    output.json({ worker: id, requested: what });
  } else {
    output.print(`When it next renews its lease, worker ${id} ${effect}.`);
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'worker', isNumber: true },
  { title: 'host' },
  { title: 'pid', isNumber: true },
  { title: 'code' },
  { title: 'tablequeue' },
  { title: 'up since' },
  { title: 'state' },
  { title: 'running', isNumber: true },
  { title: 'memory', isNumber: true },
  { title: 'loop delay', isNumber: true },
  { title: 'last block' },
];

async function list(queue: TableQueue, { json }: WorkersOptions, output: Output): Promise<void> {
  const workers = await queue.activity.workers({ jobs: 0 });
  if (json) {
    output.json(workers.map(asJson));
  } else if (workers.length === 0) {
    output.print('No worker is registered.');
  } else {
    output.print(...renderTable(COLUMNS, workers.map(toCells)));
  }
}

function toCells(worker: WorkerActivity): string[] {
  const { id, host, pid, codeVersion, version, startedAt, runningCount, memory, eventLoopDelay, lastBlock } = worker;
  return [
    String(id),
    host,
    String(pid),
    codeVersion ?? '',
    version,
    timeOf(startedAt.getTime()),
    stateOf(worker),
    String(runningCount),
    `${Math.round(memory.rss / 1_000_000)} MB`,
    spanOf(eventLoopDelay.max),
    lastBlock ? `${spanOf(lastBlock.duration)} at ${timeOf(lastBlock.reportedAt.getTime())}` : '',
  ];
}

/** The state, and what is requested of the worker and not done yet. */
function stateOf({ state, request: requested }: WorkerActivity): string {
  const wanted = requested?.action ?? (state === 'quiet' ? 'resume' : undefined);
  const isDone = wanted === undefined || wanted === state || state === 'stopping';
  return isDone ? state : `${state}, ${wanted} requested`;
}

function asJson({ running: _running, codeVersion, request: requested, lastBlock, ...worker }: WorkerActivity): object {
  return { ...worker, codeVersion: codeVersion ?? null, request: requested ?? null, lastBlock: lastBlock ?? null };
}
