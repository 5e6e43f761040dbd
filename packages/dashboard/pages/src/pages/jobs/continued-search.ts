import { useEffect, useState } from 'preact/hooks';

import { PAGE, type useJobs } from '../../api/queries.js';
import { formatJobs, formatNumber } from '../../format/numbers.js';
import { isPageVisible } from '../../state/page-visibility.js';

/** The pause between a response and the next request, in ms, so that other requests are served. */
const PAUSE = 300;
/** The jobs that a response reads before it stops early: see docs/guides/browsing.md. */
const JOBS_PER_READ = 5_000;
/** The number of responses between two announcements for screen readers. */
const ANNOUNCED_EVERY = 20;

/** The state of a search that the API stopped before the page was full. */
export interface ContinuedSearch {
  /** Whether more jobs may match on this page. */
  readonly isUnfinished: boolean;
  readonly isRunning: boolean;
  /** The minimum number of jobs that were read. */
  readonly jobsRead: number;
  /** For screen readers. It changes rarely. */
  readonly announcement: string;
  readonly stop: () => void;
  readonly resume: () => void;
}

/**
 * Continues a search that the API stopped early, one request at a time, until the page is full or all jobs were read.
 * It runs only while the page is visible.
 *
 * @param list identifies the list. The user's stop applies to one list.
 * @param isHeld true if the list must not change, for example while jobs are selected.
 */
export function useContinuedSearch(jobs: ReturnType<typeof useJobs>, list: string, isHeld: boolean): ContinuedSearch {
  const [stopped, setStopped] = useState<string | undefined>(undefined);
  const pages = jobs.data?.pages ?? [];
  const found = pages.reduce((sum, page) => sum + page.jobs.length, 0);
  const last = pages.at(-1);
  const isUnfinished = last !== undefined && last.isPartial && last.next !== null && found < PAGE;
  const isStopped = stopped === list;
  const isReady = !jobs.isPlaceholderData && jobs.error === null;
  const isRunning = isUnfinished && isReady && !isStopped && !isHeld && isPageVisible.value;
  useEffect(() => {
    if (!isRunning || jobs.isFetching) {
      return undefined;
    }
    const timer = setTimeout(() => void jobs.fetchNextPage(), PAUSE);
    return () => clearTimeout(timer);
  }, [isRunning, jobs.isFetching, pages.length, list]);
  const partial = pages.filter(({ isPartial }) => isPartial).length;
  return {
    isUnfinished,
    isRunning,
    jobsRead: partial * JOBS_PER_READ,
    announcement: announcementOf({ isRunning, isStopped, isUnfinished, found, partial }),
    stop: () => setStopped(list),
    resume: () => {
      setStopped(undefined);
      if (!jobs.isFetching) {
        void jobs.fetchNextPage();
      }
    },
  };
}

interface SearchState {
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly isUnfinished: boolean;
  readonly found: number;
  readonly partial: number;
}

function announcementOf({ isRunning, isStopped, isUnfinished, found, partial }: SearchState): string {
  if (isRunning) {
    const jobsRead = Math.floor(partial / ANNOUNCED_EVERY) * ANNOUNCED_EVERY * JOBS_PER_READ;
    return jobsRead === 0 ? 'The search continues.' : `The search continues: ${formatNumber(jobsRead)} jobs were read.`;
  }
  if (isUnfinished) {
    return isStopped ? `The search was stopped: ${formatJobs(found)} found so far.` : '';
  }
  return partial > 0 ? `The search has ended: ${formatJobs(found)} found.` : '';
}
