import { InvalidArgumentError } from 'commander';

import type { PauseOptions, TableQueue } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import {
  type AddCommand,
  type CommonOptions,
  addDatabaseCommand,
  assertIds,
  parseDuration,
  parseInteger,
  parseWho,
} from './command.js';
import { noteOnUnknownQueue } from './pause.js';

interface WhoOptions extends CommonOptions {
  readonly by?: string;
  readonly reason?: string;
}

interface TimeOptions {
  readonly delay?: number;
  readonly at?: Date;
}

interface PayloadOptions {
  readonly payload?: unknown;
}

interface EnqueueOptions extends WhoOptions, TimeOptions, PayloadOptions {
  readonly queue: string;
  readonly priority?: number;
  readonly key?: string;
}

const ID = '0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d';
const UNCHECKED = 'This command has no definitions: nothing checks the payload.';

/** `tablequeue enqueue <name>` */
export const addEnqueue: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'enqueue',
    `Enqueues a job by hand. ${UNCHECKED} The job gets no unique key, no order, no tenant and no expiry time.`,
    [`enqueue mail.send --queue mail --payload '{"to":"ada@example.org"}' --delay 10m --by ada`],
  )
    .argument('<name>', 'the name of its definition')
    .requiredOption('--queue <queue>', 'its queue')
    .option('--payload <json>', 'its payload (default: none)', parseJson)
    .option('--delay <duration>', 'run it this long from now', parseDuration)
    .option('--at <time>', 'run it at this time, in ISO 8601', parseTime)
    .option('--priority <number>', '-500 to 500; lower numbers run first (default: 0)', parseInteger)
    .option('--key <key>', 'a label to find it by')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--reason <text>', 'why, for the audit log')
    .action(async (name: string, options: EnqueueOptions) => {
      const { queue: target, payload, delay, at, priority, key } = options;
      assertOneTime(options);
      await useQueue(options, context, async ({ queue }) => {
        const note = await noteOnUnknownQueue(queue, target);
        const job = { name, queue: target, ...defined({ payload, delay, runAt: at, priority, key }) };
        const id = await queue.manual.enqueue(job, whoOf(options));
        if (note !== undefined) {
          context.output.note(note);
        }
        report(context, options, id, 'is enqueued.');
      });
    });
};

/** `tablequeue copy <id>` */
export const addCopy: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'copy',
    `Enqueues a copy of a job. ${UNCHECKED} The audit log notes the id of the job with that of its copy.`,
    [`copy ${ID} --by ada`, `copy ${ID} --payload '{"to":"ada@example.org"}'`],
  )
    .argument('<id>', 'the id of the job, in any state')
    .option('--payload <json>', 'another payload (default: that of the job)', parseJson)
    .option('--delay <duration>', 'run it this long from now', parseDuration)
    .option('--at <time>', 'run it at this time, in ISO 8601', parseTime)
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--reason <text>', 'why, for the audit log')
    .action((id: string, options: WhoOptions & TimeOptions & PayloadOptions) => {
      assertOneTime(options);
      return act(id, options, context, async (queue) => {
        const { payload, delay, at } = options;
        const copy = { ...whoOf(options), ...defined({ payload, delay, runAt: at }) };
        report(context, options, await queue.manual.copy(id, copy), `is a copy of ${id}.`);
      });
    });
};

/** `tablequeue edit <id>` */
export const addEdit: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'edit', `Retries a failed, cancelled or expired job with another payload. ${UNCHECKED}`, [
    `edit ${ID} --payload '{"to":"ada@example.org"}' --by ada --reason 'wrong address'`,
  ])
    .argument('<id>', 'the id of a failed, cancelled or expired job')
    .requiredOption('--payload <json>', 'its new payload', parseJson)
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--reason <text>', 'why, for the audit log')
    .action((id: string, options: WhoOptions & PayloadOptions) =>
      act(id, options, context, async (queue) => {
        await queue.manual.retry(id, options.payload, whoOf(options));
        report(context, options, id, 'is retried with the new payload.');
      }),
    );
};

/** `tablequeue reschedule <id>` */
export const addReschedule: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'reschedule', 'Gives a scheduled or ready job another time.', [
    `reschedule ${ID} --delay 2h --by ada`,
    `reschedule ${ID} --at 2030-01-31T09:00:00Z`,
  ])
    .argument('<id>', 'the id of a scheduled or ready job')
    .option('--delay <duration>', 'run it this long from now', parseDuration)
    .option('--at <time>', 'run it at this time, in ISO 8601', parseTime)
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--reason <text>', 'why, for the audit log')
    .action((id: string, options: WhoOptions & TimeOptions) => {
      const { delay, at } = options;
      assertOneTime(options);
      if (delay === undefined && at === undefined) {
        throw new UsageError('When? Give --delay or --at.');
      }
      return act(id, options, context, async (queue) => {
        await queue.manual.reschedule(id, { ...whoOf(options), ...defined({ delay, runAt: at }) });
        report(context, options, id, 'is rescheduled.');
      });
    });
};

/** `tablequeue delete <id>` */
export const addDelete: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'delete', 'Deletes a job that has ended, with its payload, errors and log.', [
    `delete ${ID} --by ada --reason 'personal data'`,
  ])
    .argument('<id>', 'the id of a job that has ended')
    .option('--by <who>', 'your name, for the audit log', parseWho)
    .option('--reason <text>', 'why, for the audit log')
    .action((id: string, options: WhoOptions) =>
      act(id, options, context, async (queue) => {
        await queue.manual.delete(id, whoOf(options));
        report(context, options, id, 'is deleted.');
      }),
    );
};

/** @throws UsageError */
function assertOneTime({ delay, at }: TimeOptions): void {
  if (delay !== undefined && at !== undefined) {
    throw new UsageError('Give --delay or --at, not both.');
  }
}

async function act(
  id: string,
  options: CommonOptions,
  context: Context,
  action: (queue: TableQueue) => Promise<void>,
): Promise<void> {
  assertIds([id]);
  await useQueue(options, context, ({ queue }) => action(queue));
}

/** Actions on the command line are always recorded. */
function whoOf({ by, reason }: WhoOptions): PauseOptions {
  return { by: by ?? null, ...defined({ reason }) };
}

function report({ output }: Context, { json }: CommonOptions, id: string, what: string): void {
  if (json) {
    output.json({ id });
  } else {
    output.print(`${id} ${what}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON, such as \'{"to":"ada@example.org"}\'.');
  }
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('It must be a time with its zone, such as 2030-01-31T09:00:00Z.');
  }
  return time;
}
