import { useQuery } from '@tanstack/preact-query';

import type { JobGraph } from '../contract.js';
import { LIVE_STATES } from '../format/labels.js';
import { read } from './request.js';

const UNFINISHED: ReadonlySet<string | null> = new Set([...LIVE_STATES, 'pending', 'open']);

export const useGraph = (id: string) =>
  useQuery({
    queryKey: ['jobs', 'graph', id],
    queryFn: ({ signal }) => read<JobGraph>(`jobs/${encodeURIComponent(id)}/graph`, {}, signal),
    refetchInterval: ({ state: { data } }) => (data?.nodes.some(({ state }) => UNFINISHED.has(state)) ? 3000 : 15_000),
  });
