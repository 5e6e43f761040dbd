import { useQueryClient } from '@tanstack/preact-query';

import type { CopyRequest, EditRequest, EnqueueRequest, JobDetail, RescheduleRequest, StoredJob } from '../contract.js';
import { JOBS_STALE, useChange } from './changes.js';
import { write } from './request.js';

const pathOf = (id: string, action: string): string => `jobs/${encodeURIComponent(id)}/${action}`;

/** Changes of one job that return it. */
export function useManualChange(id: string) {
  const client = useQueryClient();
  return useChange(
    async ({
      action,
      ...request
    }: ({ action: 'edit' } & EditRequest) | ({ action: 'reschedule' } & RescheduleRequest)) => {
      const job = await write<JobDetail>('POST', pathOf(id, action), request);
      client.setQueryData(['job', id], job);
      return job;
    },
    {
      message: (job, { action }) =>
        action === 'edit' ? `Retried ${job.name} with the new payload.` : `Rescheduled ${job.name}.`,
      stale: JOBS_STALE,
    },
  );
}

export const useCopy = (id: string) =>
  useChange((request: CopyRequest) => write<StoredJob>('POST', pathOf(id, 'copy'), request), {
    message: () => `This is a copy of ${id}.`,
    stale: JOBS_STALE,
  });

export const useDeletion = (id: string) =>
  useChange((request: { readonly reason?: string }) => write<StoredJob>('POST', pathOf(id, 'delete'), request), {
    message: () => `Deleted ${id}.`,
    stale: JOBS_STALE,
  });

export const useEnqueue = () =>
  useChange((request: EnqueueRequest) => write<StoredJob>('POST', 'jobs/enqueue', request), {
    message: (_job, { name }) => `Enqueued ${name}.`,
    stale: JOBS_STALE,
  });
