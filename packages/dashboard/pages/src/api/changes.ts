import { useMutation, useQueryClient } from '@tanstack/preact-query';

import type { BulkRequest, BulkResult, JobAction, JobDetail, Overview, QueueLimits, QueueRow } from '../contract.js';
import { formatJobs } from '../format/numbers.js';
import { ACTIONS } from '../format/words.js';
import { tell, tellProblem } from '../parts/notices.js';
import { keepFirstPages } from './first-pages.js';
import { RequestError } from './request-error.js';
import { write } from './request.js';

/**
 * A change that is told when it is done, or why it is not, and after which what is shown is read again: one that has failed
 * may have been done, or a part of it.
 */
function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  { told, stale }: { told: (output: Output, input: Input) => string; stale: readonly string[] },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (output, input) => {
      // Behind whatever closes the dialog that has asked: what is said beside an open one is not read out.
      setTimeout(() => tell(told(output, input)));
    },
    onError: (error) => {
      // Whoever no longer waits knows.
      if (error.name !== 'AbortError') {
        tellProblem(error);
      }
    },
    onSettled: (_output, error) => {
      if (error instanceof RequestError && error.isOfCaller) {
        return;
      }
      for (const key of stale) {
        keepFirstPages(client, key);
        void client.invalidateQueries({ queryKey: [key] });
      }
    },
  });
}

const queuePath = (queue: string): string => `queues/${encodeURIComponent(queue)}`;

export function useQueueChange() {
  const client = useQueryClient();
  const take = (row: QueueRow): QueueRow => {
    client.setQueryData<Overview>(
      ['overview'],
      (overview) =>
        overview && {
          ...overview,
          queues: overview.queues.map((known) => (known.queue === row.queue ? row : known)),
        },
    );
    return row;
  };
  const pausing = useChange(
    async ({ queue, pause }: { queue: string; pause: boolean }) =>
      take(await write<QueueRow>('POST', `${queuePath(queue)}/${pause ? 'pause' : 'resume'}`)),
    {
      told: (_row, { queue, pause }) =>
        pause ? `Paused ${queue}. Running jobs finish; no other starts.` : `Resumed ${queue}.`,
      stale: ['overview', 'audit'],
    },
  );
  const limiting = useChange(
    async ({ queue, limits }: { queue: string; limits: QueueLimits }) =>
      take(await write<QueueRow>('PUT', `${queuePath(queue)}/limits`, limits)),
    { told: (_row, { queue }) => `Saved the limits of ${queue}.`, stale: ['overview', 'audit'] },
  );
  return { pausing, limiting };
}

export function useJobChange(id: string) {
  const client = useQueryClient();
  return useChange(
    async ({ action, priority }: { action: JobAction; priority?: number }) => {
      const path = `jobs/${encodeURIComponent(id)}/${action}`;
      const job =
        action === 'priority'
          ? await write<JobDetail>('PUT', path, { priority })
          : await write<JobDetail>('POST', path);
      client.setQueryData(['job', id], job);
      return job;
    },
    { told: (job, { action }) => `${ACTIONS[action].done} ${job.name}.`, stale: ['jobs', 'overview', 'audit'] },
  );
}

interface BulkInput {
  readonly request: BulkRequest;
  /** Ends it: the server goes on with no more than it has begun. */
  readonly signal: AbortSignal;
  /** Told of how many it was so far. */
  readonly onStep: (changed: number) => void;
}

/** Step by step until all is done: a request does as much as goes quickly. */
async function changeAll({ request, signal, onStep }: BulkInput): Promise<BulkResult> {
  let [changed, skipped] = [0, 0];
  for (let cursor = {}; ;) {
    const step = await write<BulkResult>('POST', 'jobs/bulk', { ...request, ...cursor }, signal);
    [changed, skipped] = [changed + step.changed, skipped + step.skipped];
    if (!step.next) {
      return { changed, skipped, next: null };
    }
    onStep(changed);
    cursor = { cursor: step.next };
  }
}

export const useBulkChange = () =>
  useChange(changeAll, {
    told: ({ changed, skipped }, { request }) =>
      `${ACTIONS[request.action].done} ${formatJobs(changed)}.` +
      (skipped > 0 ? ` ${formatJobs(skipped)} had changed meanwhile and stayed so.` : ''),
    stale: ['jobs', 'overview', 'audit'],
  });

export type ScheduleChange = 'run' | 'pause' | 'resume';

export const useScheduleChange = () =>
  useChange(
    ({ name, change }: { name: string; change: ScheduleChange }) =>
      write<object>('POST', `schedules/${encodeURIComponent(name)}/${change}`),
    {
      told: (_row, { name, change }) =>
        ({ run: `Enqueued a job of ${name}.`, pause: `Paused ${name}.`, resume: `Resumed ${name}.` })[change],
      stale: ['schedules', 'audit'],
    },
  );
