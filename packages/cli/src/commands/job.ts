import type { JobSnapshot, StepSnapshot } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { ExitCode } from '../exit-code.js';
import type { Output } from '../terminal/output.js';
import { renderTable } from '../terminal/table.js';
import { countOf, spanOf, timeOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, assertId } from './command.js';
import { followLog } from './follow-log.js';

interface JobCommandOptions extends CommonOptions {
  readonly follow?: true;
}

/** `tablequeue job <id>` */
export const addJob: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'job', 'Shows a job, its errors and its steps. Payloads and results are left out.', [
    'job 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d',
    'job 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d --json',
    'job 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d --follow',
  ])
    .argument('<id>', 'the id of the job')
    .option('--follow', 'print the log of the job, and new lines until it has ended')
    .action(async (id: string, options: JobCommandOptions) => {
      assertId(id);
      await useQueue(options, context, async ({ queue }) => {
        const job = await queue.find(id);
        if (job && options.follow) {
          await followLog(queue, id, options.json === true, context);
        } else {
          show(job, job ? await queue.steps(id) : [], id, options, context);
        }
      });
    });
};

function show(
  job: JobSnapshot | undefined,
  steps: readonly StepSnapshot[],
  id: string,
  { json }: CommonOptions,
  context: Context,
): void {
  const { output } = context;
  if (!job) {
    context.exitCode = ExitCode.failed;
  }
  if (json) {
    output.json(job ? jobAsJson(job, steps) : null);
  } else if (job) {
    output.print(...renderJob(job, steps, output));
  } else {
    output.error(`There is no job ${id}: it never existed, or was pruned.`);
  }
}

function renderJob(job: JobSnapshot, steps: readonly StepSnapshot[], output: Output): string[] {
  const { id, name, queue, state, attempt, failures, key, createdAt, runAt, expiresAt, finishedAt } = job;
  const open = steps.filter((step) => step.state === 'open');
  return [
    `${output.style('bold', name)}  ${id}`,
    `${state} in the queue ${queue}, attempt ${attempt}, ${countOf(failures, 'failure')}`,
    ...(key === undefined ? [] : [`key ${key}`]),
    `created ${timeOf(createdAt.getTime())}, ${
      finishedAt ? `finished ${timeOf(finishedAt.getTime())}` : `due ${timeOf(runAt.getTime())}`
    }`,
    ...(expiresAt && !finishedAt ? [`expires ${timeOf(expiresAt.getTime())} unless it starts`] : []),
    ...open.map((step) => waitOf(step)),
    ...job.errors.map((error) => output.style('red', `attempt ${error.attempt}: ${firstLine(error.error)}`)),
    ...(steps.length === 0 ? [] : ['', ...stepLines(steps, output)]),
  ];
}

function waitOf({ kind, name, dueAt, awaits, children, failures, error }: StepSnapshot): string {
  const time = dueAt === undefined ? '' : timeOf(dueAt.getTime());
  switch (kind) {
    case 'sleep':
      return `sleeps until ${time}`;
    case 'signal':
      return `waits for ${awaits.join(' or ')}${time && ` until ${time}`}`;
    case 'child':
      return `waits for the children of "${name}"${
        children ? `: ${children.jobs - children.pending} of ${children.jobs} have ended` : ''
      }`;
    default:
      return `the step "${name || 'cursor'}" is not done${
        failures === 0 ? '' : `, ${countOf(failures, 'failure')}: ${firstLine(error?.message ?? '')}`
      }${time && `; next try ${time}`}`;
  }
}

function stepLines(steps: readonly StepSnapshot[], output: Output): string[] {
  const [titles = '', ...lines] = renderTable(
    [
      { title: 'step' },
      { title: 'kind' },
      { title: 'state' },
      { title: 'attempt', isNumber: true },
      { title: 'took', isNumber: true },
      { title: 'stored' },
    ],
    steps.map(({ name, kind, state, attempt, took, recordedAt }) => [
      name || 'cursor',
      kind,
      state,
      String(attempt),
      took === undefined ? '' : spanOf(took),
      timeOf(recordedAt.getTime()),
    ]),
  );
  return [output.style('bold', titles), ...lines];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Without payload, results, progress and stacks. */
function jobAsJson({ id, name, queue, state, ...job }: JobSnapshot, steps: readonly StepSnapshot[]): object {
  const { key, tenant, priority, attempt, failures, createdAt, runAt, expiresAt, claimedAt, finishedAt, errors } = job;
  return {
    id,
    name,
    queue,
    state,
    ...defined({ key, tenant, expiresAt, claimedAt, finishedAt }),
    priority,
    attempt,
    failures,
    createdAt,
    runAt,
    errors: errors.map((error) => ({
      attempt: error.attempt,
      failedAt: error.failedAt,
      error: firstLine(error.error),
    })),
    steps: steps.map(({ result: _result, ...step }) => step),
  };
}
