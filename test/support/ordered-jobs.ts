import { type JobDefinition, defineJob, jobHandler } from '@tablequeue/typeorm';

import type { Workbench } from './workbench.js';

/** The payload of an ordered job: its order key, and which of the key it is. */
export interface Change {
  readonly account: string;
  readonly number: number;
}

export const byAccount = ({ account }: Change): string => account;
/** Retries without a delay. */
export const NOW = { attempts: 3, backoff: (): number => 0 };
export const change = defineJob<Change>('change', { order: { by: byAccount }, retry: NOW });

/** Ordered jobs on a workbench. */
export function orderedJobs(bench: Workbench) {
  return {
    enqueue: (number: number, account = 'a') => bench.queue.enqueue(change, { account, number }),

    enqueueMany: (definition: JobDefinition<Change>, numbers: readonly number[], account = 'a') =>
      bench.queue.enqueueMany(
        definition,
        numbers.map((number) => ({ payload: { account, number } })),
      ),

    /** Runs the jobs of a definition, and records their numbers. */
    record: async (
      definition: JobDefinition<Change>,
      handle: (number: number, attempt: number) => unknown = () => undefined,
    ): Promise<number[]> => {
      const ran: number[] = [];
      await bench.work([
        jobHandler(definition, ({ number }, { attempt }) => {
          ran.push(number);
          return handle(number, attempt);
        }),
      ]);
      return ran;
    },

    /** Counts the rows of jobs that are not finished. */
    orderedRows: async (): Promise<number> => {
      const [row] = await bench.dataSource.query('SELECT COUNT(*) AS count FROM tq_ordered');
      return Number((row as { count: number | string }).count);
    },
  };
}
