import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query';

import type {
  AuditPage,
  BlockedKeyPage,
  BulkPage,
  DoctorReport,
  FailedErrors,
  JobDetail,
  JobFilter,
  JobPage,
  JobSearchPage,
  JobState,
  KeyedCounts,
  Me,
  MemberOutcome,
  MemberPage,
  Overview,
  QueueColumn,
  QueueNames,
  QueuePage,
  QueueRow,
  SchedulePage,
  Series,
  SubscriptionPage,
  WorkerPage,
} from '../contract.js';
import { syncClock } from '../format/times.js';
import { isLive } from '../format/labels.js';
import { read } from './request.js';

/** The rows of one page of a list. */
export const PAGE = 50;
/** The most members that one request reads. */
const MOST_MEMBERS = 200;
/** How long data is reused, in ms, unless the user changes it. */
export const FRESH_FOR = 1000;

export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: ({ signal }) => read<Me>('me', {}, signal), staleTime: Infinity });

/** LiveOverview keeps it up to date, so it is requested only once. */
export const useOverview = () =>
  useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => read<Overview>('overview', {}, signal),
    staleTime: Infinity,
  });

/** Which queues to show. */
export interface QueueListQuery {
  readonly contains?: string;
  /** A kind of problem. */
  readonly problem?: string | undefined;
  readonly trouble?: 'true' | undefined;
  readonly sort?: QueueColumn | undefined;
  readonly descending?: 'true' | undefined;
  readonly offset?: number;
}

/** LiveOverview requests shown queues again with each overview. */
export const useQueues = (query: QueueListQuery) =>
  useQuery({
    queryKey: ['queues', 'page', query],
    queryFn: ({ signal }) => read<QueuePage>('queues', { ...query, limit: PAGE }, signal),
    placeholderData: keepPreviousData,
  });

/** LiveOverview requests a shown queue again with each overview. */
export const useQueue = (queue: string | undefined) =>
  useQuery({
    queryKey: ['queues', 'one', queue],
    queryFn: ({ signal }) => read<QueueRow>(`queues/${encodeURIComponent(queue ?? '')}`, {}, signal),
    enabled: queue !== undefined,
  });

export const useQueueNames = () =>
  useQuery({
    queryKey: ['queue-names'],
    queryFn: ({ signal }) => read<QueueNames>('queue-names', {}, signal),
    staleTime: 60_000,
  });

export const useSeries = (span: Series['span'], queue?: string) =>
  useQuery<Series>({
    queryKey: ['series', span, queue],
    queryFn: ({ signal }) => read<Series>('series', { span, queue }, signal),
    refetchInterval: span === 'hour' ? 10_000 : 60_000,
    placeholderData: (previous) => (previous?.span === span ? previous : undefined),
  });

/**
 * Has several pages only for a search that stopped before its page was full and continues. Such a list is not
 * refreshed.
 */
export const useJobs = (filter: JobFilter, cursor: string | undefined, isHeld: boolean) =>
  useInfiniteQuery({
    queryKey: ['jobs', filter, cursor],
    queryFn: async ({ signal, pageParam }) => {
      const page = await read<JobPage>('jobs', { ...filter, cursor: pageParam, limit: PAGE }, signal);
      syncClock(page.takenAt);
      return page;
    },
    initialPageParam: cursor,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? Infinity : FRESH_FOR),
    refetchInterval: ({ state }) => (isHeld || cursor || (state.data?.pages.length ?? 0) > 1 ? false : 5000),
    refetchOnWindowFocus: !isHeld,
  });

export const useKeyedCounts = (key: string | undefined, filter: Pick<JobFilter, 'queue' | 'name' | 'tenant'>) =>
  useQuery({
    queryKey: ['jobs', 'states', key, filter],
    queryFn: ({ signal }) => read<KeyedCounts>('jobs/states', { ...filter, key }, signal),
    enabled: key !== undefined,
    refetchInterval: 5000,
  });

/** Each page searches for 2 s at most. The list is not refreshed: each refresh would search again. */
export const useJobSearch = (text: string, state: JobState | undefined, payload: boolean) =>
  useInfiniteQuery({
    enabled: text !== '',
    queryKey: ['search', text, state, payload],
    queryFn: async ({ signal, pageParam }) => {
      const query = { text, state, cursor: pageParam, limit: PAGE, ...(payload && { payload: 'true' }) };
      const page = await read<JobSearchPage>('jobs/search', query, signal);
      syncClock(page.takenAt);
      return page;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    staleTime: Infinity,
  });

/** Which members of a group to show. */
export interface MemberFilter {
  readonly outcome: MemberOutcome;
  readonly name?: string | undefined;
  readonly state?: string | undefined;
}

/** With a name or a state, the server leaves out members of each page. So the pages are as large as it allows. */
export const useMembers = (group: string, filter: MemberFilter) =>
  useInfiniteQuery({
    queryKey: ['members', group, filter],
    queryFn: ({ signal, pageParam }) =>
      read<MemberPage>(
        `groups/${encodeURIComponent(group)}/members`,
        { ...filter, cursor: pageParam, limit: (filter.name ?? filter.state) ? MOST_MEMBERS : PAGE },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });

export const useJob = (id: string) =>
  useQuery({
    queryKey: ['job', id],
    queryFn: ({ signal }) => read<JobDetail>(`jobs/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isLive(state.data.state) ? 2000 : 15_000),
  });

export const useBlockedKeys = () =>
  useInfiniteQuery({
    queryKey: ['blocked-keys'],
    queryFn: ({ signal, pageParam }) =>
      read<BlockedKeyPage>('jobs/blocked-keys', { cursor: pageParam, limit: PAGE }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 5000),
  });

/** Not often: a read may examine 10,000 jobs. */
export const useFailures = () =>
  useQuery({
    queryKey: ['failures'],
    queryFn: ({ signal }) => read<FailedErrors>('jobs/failures', {}, signal),
    refetchInterval: 30_000,
  });

export const useSubscriptions = () =>
  useInfiniteQuery({
    queryKey: ['subscriptions'],
    queryFn: ({ signal, pageParam }) =>
      read<SubscriptionPage>('events/subscriptions', { cursor: pageParam, limit: PAGE }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 5000),
  });

export const useWorkers = (cursor: string | undefined) =>
  useQuery({
    queryKey: ['workers', cursor],
    queryFn: ({ signal }) => read<WorkerPage>('workers', { cursor }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 3000,
  });

export const useSchedules = (contains: string | undefined, cursor: string | undefined) =>
  useQuery({
    queryKey: ['schedules', contains, cursor],
    queryFn: ({ signal }) => read<SchedulePage>('schedules', { contains, cursor, limit: PAGE }, signal),
    placeholderData: keepPreviousData,
    // A user who ran one now waits for its end.
    refetchInterval: ({ state }) =>
      state.data?.schedules.some(({ lastJob }) => lastJob && isLive(lastJob.state)) ? 2000 : 10_000,
  });

/** Requested only when the user opens the page or presses the button, because it examines the server. */
export const useDoctor = () =>
  useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => read<DoctorReport>('doctor', {}, signal),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

/** The latest bulk operations, of all users. */
export const useBulkOperations = () =>
  useQuery({
    queryKey: ['bulk'],
    queryFn: async ({ signal }) => {
      const page = await read<BulkPage>('jobs/bulk', { limit: 20 }, signal);
      syncClock(page.takenAt);
      return page;
    },
    refetchInterval: ({ state }) => (state.data?.operations.some(isRunning) ? 1000 : 5000),
  });

const isRunning = ({ state }: BulkPage['operations'][number]): boolean => state === 'running';

/** Which entries of the audit log to show. */
export interface AuditFilter {
  readonly action?: string;
  readonly who?: string;
}

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) => read<AuditPage>('audit', { ...filter, cursor: pageParam, limit: PAGE }, signal),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });
