/** The objects of each library whose calls tables show, by the heading of their column. */
const TYPES = `
import type { FlowProducer, Job, Queue, QueueEvents, Worker } from 'bullmq';
import type * as bull from 'bull';
import type { DurableJobContext, TableQueue, TableQueueWorker } from '@tablequeue/typeorm';

declare const objects: {
  BullMQ: { queue: Queue; job: Job; worker: Worker; flows: FlowProducer; events: QueueEvents };
  Bull: { queue: bull.Queue; job: bull.Job };
  Tablequeue: { queue: TableQueue; job: DurableJobContext; worker: TableQueueWorker };
};
`;

const HEADINGS: ReadonlySet<string> = new Set(['BullMQ', 'Bull', 'Tablequeue']);

/**
 * The calls in the tables of guides, such as `queue.jobs.list({ state: 'failed' })`, as code that compiles only if they
 * exist. It does not check their arguments.
 */
export function callsInTables(pages: string): string {
  const calls = [...pages.matchAll(/^(\|.*\|)\n\| -.*\n((?:\|.*\|\n)+)/gm)].flatMap(([, heading = '', rows = '']) => {
    const columns = cellsOf(heading);
    return rows
      .trim()
      .split('\n')
      .flatMap((row) => cellsOf(row).flatMap((cell, index) => callsOf(columns[index] ?? '', cell)));
  });
  return `${TYPES}\n${[...new Set(calls)].map((call) => `void objects.${call};\n`).join('')}`;
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function callsOf(heading: string, cell: string): string[] {
  if (!HEADINGS.has(heading)) {
    return [];
  }
  const calls = cell.matchAll(/`(?:await )?((?:queue|job|worker|flows|events)(?:\.\w+)+)/g);
  return [...calls].map(([, call]) => `${heading}.${call}`);
}
