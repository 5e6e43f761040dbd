import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';

import type { JobLog, JobLogLine } from '../contract.js';
import { read } from './request.js';

const PAGE = 1_000;
/** How many lines the page shows at most: the first ones. */
export const MOST_SHOWN = 5_000;

/** The log of a job, with new lines about once a second while it is live. */
export function useJobLog(id: string, isLive: boolean) {
  const client = useQueryClient();
  const queryKey = ['job-log', id];
  const log = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<JobLog> => {
      const known = client.getQueryData<JobLog>(queryKey)?.lines ?? [];
      const lines = new Map(known.map((line) => [keyOf(line), line]));
      for (;;) {
        // The number in the line about dropped lines grows: that line is read again.
        const { attempt, seq } = [...lines.values()].findLast(({ dropped }) => dropped === 0) ?? {};
        const page = await read<JobLog>(`jobs/${encodeURIComponent(id)}/log`, { attempt, seq, limit: PAGE }, signal);
        page.lines.forEach((line) => lines.set(keyOf(line), line));
        if (page.lines.length < PAGE || lines.size >= MOST_SHOWN) {
          return { ...page, lines: [...lines.values()].slice(0, MOST_SHOWN) };
        }
      }
    },
    refetchInterval: isLive ? 1_000 : 15_000,
  });
  const { refetch } = log;
  // Its last lines were stored just before it ended.
  useEffect(() => void refetch(), [isLive, refetch]);
  return log;
}

const keyOf = ({ attempt, seq }: JobLogLine): string => `${attempt} ${seq}`;
