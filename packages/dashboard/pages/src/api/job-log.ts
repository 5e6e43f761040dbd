import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';

import type { JobLog, JobLogLine } from '../contract.js';
import { read } from './request.js';

const PAGE = 1_000;

/**
 * The log of a job, with new lines about once a second while it is live. It is not cut: the tables keep the lines of 20
 * attempts, about 1,000 of each.
 *
 * @param first the first attempt to read; 1 reads all.
 */
export function useJobLog(id: string, isLive: boolean, first: number) {
  const client = useQueryClient();
  const queryKey = ['job-log', id, first];
  const log = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<JobLog> => {
      const known = client.getQueryData<JobLog>(queryKey)?.lines ?? [];
      const lines = new Map(known.map((line) => [keyOf(line), line]));
      for (;;) {
        // The number in the line about dropped lines grows: that line is read again.
        const { attempt, seq } = [...lines.values()].findLast(({ dropped }) => dropped === 0) ?? startOf(first);
        const page = await read<JobLog>(`jobs/${encodeURIComponent(id)}/log`, { attempt, seq, limit: PAGE }, signal);
        page.lines.forEach((line) => lines.set(keyOf(line), line));
        if (page.lines.length < PAGE) {
          return { ...page, lines: [...lines.values()] };
        }
      }
    },
    // While earlier attempts are read, the later ones stay.
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? 1_000 : 15_000,
  });
  const { refetch } = log;
  // Its last lines were stored just before it ended.
  useEffect(() => void refetch(), [isLive, refetch]);
  return log;
}

/** The position before the first line of an attempt; undefined before all lines. */
const startOf = (first: number): { attempt?: number; seq?: number } => (first > 1 ? { attempt: first, seq: 0 } : {});

const keyOf = ({ attempt, seq }: JobLogLine): string => `${attempt} ${seq}`;
