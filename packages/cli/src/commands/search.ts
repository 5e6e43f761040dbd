import type { JobFilter, JobSearchPage } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import type { Output } from '../terminal/output.js';
import { type Column, renderTable } from '../terminal/table.js';
import { countOf, timeOf } from '../terminal/words.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand, parseCount } from './command.js';

interface SearchOptions extends CommonOptions {
  readonly state?: JobFilter['state'];
  readonly payload?: true;
  readonly limit?: number;
  readonly after?: string;
}

/** `tablequeue search <text>` */
export const addSearch: AddCommand = (program, context) => {
  addDatabaseCommand(
    program,
    'search',
    'Searches the jobs of all states for a text. It stops after 2 seconds, and prints how to search on.',
    ['search order:42', 'search "connect ETIMEDOUT" --state failed', 'search mary@example.com --payload --json'],
  )
    .argument('<text>', 'an id, key, unique key or tenant, or a part of a name or of an error')
    .option('--state <state>', 'show only jobs of this state; others are counted')
    .option('--payload', 'search payloads too, unless a codec has encoded them')
    .option('--limit <count>', 'how many jobs are shown, 1 to 1,000 (default: 20)', parseCount)
    .option('--after <cursor>', 'search on from where a search has stopped')
    .action(async (text: string, options: SearchOptions) => {
      await useQueue(options, context, async ({ queue }) => {
        const { state, payload = false, limit = 20, after } = options;
        const page = await queue.jobs.search(text, { payload, limit, ...defined({ state, after }) });
        if (options.json) {
          context.output.json(asJson(page));
        } else {
          printPage(page, options, context.output);
        }
      });
    });
};

const COLUMNS: readonly Column[] = [
  { title: 'id' },
  { title: 'state' },
  { title: 'found in' },
  { title: 'name' },
  { title: 'queue' },
  { title: 'key' },
  { title: 'created' },
];

function printPage(page: JobSearchPage, { state }: SearchOptions, output: Output): void {
  const { jobs, counts, next, examined, searchedSince, encodedBy } = page;
  if (jobs.length === 0) {
    output.print(`No ${state === undefined ? '' : `${state} `}job found.`);
  } else {
    const rows = jobs.map((job) => {
      return [job.id, job.state, job.foundIn, job.name, job.queue, job.key ?? '', timeOf(job.createdAt.getTime())];
    });
    output.print(...renderTable(COLUMNS, rows));
  }
  const others = Object.entries(counts).filter(([other, count]) => state !== undefined && other !== state && count > 0);
  if (others.length > 0) {
    output.print(`Also found in: ${others.map(([other, count]) => `${other} ${count}`).join(', ')}.`);
  }
  if (encodedBy.length > 0) {
    output.print(`Encoded errors and payloads were not searched: codec ${encodedBy.join(', ')}.`);
  }
  const since = searchedSince ? `: all that were created since ${timeOf(searchedSince.getTime())}` : '';
  output.print(
    next === undefined
      ? `All jobs were searched: ${countOf(examined, 'job')}.`
      : `${countOf(examined, 'job')} searched${since}. Search on with --after ${next}`,
  );
}

/** Without progress and stacks. */
function asJson({ jobs, ...page }: JobSearchPage): object {
  return {
    jobs: jobs.map(({ progress: _progress, error, ...job }) => ({
      ...job,
      ...defined({ error: error?.split('\n', 1)[0] }),
    })),
    ...page,
  };
}
