import { useEffect, useRef } from 'preact/hooks';
import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/preact-query';

import { notify, notifyProblem } from '../components/notices.js';
import type {
  BulkOperation,
  BulkRequest,
  ErrorMute,
  JobAction,
  JobDetail,
  PauseRequest,
  QueueLimits,
  QueuePage,
  QueueRow,
} from '../contract.js';
import { ACTIONS } from '../format/labels.js';
import { formatJobs } from '../format/numbers.js';
import { formatExact } from '../format/times.js';
import { RequestError } from './request-error.js';
import { write } from './request.js';

/** What shows jobs, and is out of date when one has changed. */
export const JOBS_STALE = ['jobs', 'search', 'failures', 'blocked-keys', 'overview', 'queues', 'audit'];

/**
 * Sends a change and notifies the user of its outcome. Then it reads the shown data again, even after an error: the
 * change may have taken effect.
 */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  { message, stale }: { message: (output: Output, input: Input) => string; stale: readonly string[] },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (output, input) => {
      // After the dialog closes: screen readers do not announce messages outside an open one.
      const text = message(output, input);
      if (text !== '') {
        setTimeout(() => notify(text));
      }
    },
    onError: (error) => {
      notifyProblem(error);
    },
    onSettled: (_output, error) => {
      if (error instanceof RequestError && error.isAboutUser) {
        return;
      }
      for (const key of stale) {
        keepFirstPages(client, key);
        void client.invalidateQueries({ queryKey: [key] });
      }
    },
  });
}

const QUEUES_STALE = ['overview', 'queues', 'audit'];

const queuePath = (queue: string): string => `queues/${encodeURIComponent(queue)}`;

export function useQueueChange() {
  const client = useQueryClient();
  const take = (row: QueueRow): QueueRow => {
    client.setQueryData<QueueRow>(['queues', 'one', row.queue], row);
    client.setQueriesData<QueuePage>(
      { queryKey: ['queues', 'page'] },
      (page) => page && { ...page, queues: page.queues.map((known) => (known.queue === row.queue ? row : known)) },
    );
    return row;
  };
  const pausing = useChange(
    async ({ queue, pause, ...request }: { queue: string; pause: boolean } & PauseRequest) =>
      take(await write<QueueRow>('POST', `${queuePath(queue)}/${pause ? 'pause' : 'resume'}`, request)),
    {
      message: (_row, { queue, pause }) =>
        pause ? `Paused ${queue}. Running jobs finish; no other starts.` : `Resumed ${queue}.`,
      stale: QUEUES_STALE,
    },
  );
  const limiting = useChange(
    async ({ queue, limits }: { queue: string; limits: QueueLimits }) =>
      take(await write<QueueRow>('PUT', `${queuePath(queue)}/limits`, limits)),
    { message: (_row, { queue }) => `Saved the limits of ${queue}.`, stale: QUEUES_STALE },
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
    {
      message: (job, { action }) => `${ACTIONS[action].done} ${job.name}.`,
      stale: JOBS_STALE,
    },
  );
}

/** A retry from a step, or a signal. */
type StepChange = { readonly from: string } | { readonly signal: string; readonly data?: unknown };

export function useStepChange(id: string) {
  const client = useQueryClient();
  return useChange(
    async (change: StepChange) => {
      const path = `jobs/${encodeURIComponent(id)}/${'from' in change ? 'retry-from' : 'signal'}`;
      const job = await write<JobDetail>('POST', path, change);
      client.setQueryData(['job', id], job);
      return job;
    },
    {
      message: (job, change) =>
        'from' in change ? `Retried ${job.name} from ${change.from}.` : `Sent ${change.signal} to ${job.name}.`,
      stale: JOBS_STALE,
    },
  );
}

/** Why a job stayed as it was. */
const SKIPPED = {
  retry: 'had changed in the meantime, or another job has the unique key.',
  others: 'had changed in the meantime and stayed unchanged.',
};

/** The outcome of a bulk operation, in words. */
export function bulkOutcome({ action, state, changed, skipped }: BulkOperation): string {
  return (
    `${ACTIONS[action].done} ${formatJobs(changed)}${state === 'stopped' ? ', and was stopped' : ''}.` +
    (skipped > 0 ? ` ${formatJobs(skipped)} ${SKIPPED[action === 'retry' ? 'retry' : 'others']}` : '')
  );
}

const BULK_STALE = [...JOBS_STALE, 'bulk'];

/** The operations whose end this page has reported. */
const reported = new Set<string>();

/** The outcome of an operation that has ended; empty if this page has reported it before. */
function outcomeOnce(operation: BulkOperation): string {
  if (reported.has(operation.id)) {
    return '';
  }
  reported.add(operation.id);
  return bulkOutcome(operation);
}

/** Reports operations of this list that were running in the list before, and reads their jobs again. */
export function useBulkEnds(operations: readonly BulkOperation[]): void {
  const client = useQueryClient();
  const running = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const ended = operations.filter(({ id, state }) => state !== 'running' && running.current.has(id));
    running.current = new Set(operations.filter(({ state }) => state === 'running').map(({ id }) => id));
    ended.map(outcomeOnce).forEach((text) => text !== '' && notify(text));
    if (ended.length > 0) {
      JOBS_STALE.forEach((key) => void client.invalidateQueries({ queryKey: [key] }));
    }
  }, [operations]);
}

/** Starts a bulk operation. The server answers at its end, or after a second. */
export const useBulkStart = () =>
  useChange((request: BulkRequest) => write<BulkOperation>('POST', 'jobs/bulk', request), {
    message: (operation) =>
      operation.state === 'running' ? 'The server is working on it. You may close this page.' : outcomeOnce(operation),
    stale: BULK_STALE,
  });

export const useBulkStop = () =>
  useChange((id: string) => write<BulkOperation>('POST', `jobs/bulk/${encodeURIComponent(id)}/stop`), {
    message: outcomeOnce,
    stale: BULK_STALE,
  });

export const useErrorMute = () =>
  useChange(
    ({ fingerprint, duration }: { fingerprint: string; duration?: string }) =>
      write<ErrorMute>(
        'POST',
        `jobs/failures/${fingerprint}/${duration === undefined ? 'unmute' : 'mute'}`,
        duration === undefined ? undefined : { duration },
      ),
    {
      message: ({ mutedUntil }) =>
        mutedUntil === null ? 'Unmuted the error.' : `Muted the error until ${formatExact(mutedUntil)}.`,
      stale: ['failures', 'audit'],
    },
  );

type ScheduleChange = 'run' | 'pause' | 'resume';

export const useScheduleChange = () =>
  useChange(
    ({ name, change }: { name: string; change: ScheduleChange }) =>
      write<object>('POST', `schedules/${encodeURIComponent(name)}/${change}`),
    {
      message: (_row, { name, change }) =>
        ({ run: `Enqueued a job of ${name}.`, pause: `Paused ${name}.`, resume: `Resumed ${name}.` })[change],
      stale: ['schedules', 'audit'],
    },
  );

/** What is requested of a worker. */
export type WorkerChange = 'quiet' | 'resume' | 'stop';

export const useWorkerChange = () =>
  useChange(
    ({ id, change }: { id: string; name: string; change: WorkerChange }) =>
      write<object>('POST', `workers/${encodeURIComponent(id)}/${change}`),
    {
      message: (_row, { name, change }) =>
        ({
          quiet: `Asked ${name} to claim no more jobs.`,
          resume: `Asked ${name} to claim jobs again.`,
          stop: `Asked ${name} to stop.`,
        })[change],
      stale: ['workers', 'audit'],
    },
  );

/**
 * Removes all pages except the first from the cached lists of a kind. Otherwise a refresh would read every page again,
 * which can be thousands of requests after a long search.
 */
function keepFirstPages(client: QueryClient, kind: string): void {
  client.setQueriesData<InfiniteData<unknown> | object>({ queryKey: [kind] }, (data) =>
    data && 'pages' in data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  );
}
