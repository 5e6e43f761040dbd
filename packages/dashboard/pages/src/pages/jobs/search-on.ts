import { useEffect, useState } from 'preact/hooks';

import { PAGE, type useJobs } from '../../api/queries.js';
import { formatJobs, formatNumber } from '../../format/numbers.js';
import { isSeen } from '../../parts/seen.js';

/** Between an answer and the next request, in ms: the server has others to serve. */
const PAUSE = 300;
/** What an answer has looked at that stopped half-way, in jobs: see docs/guides/browsing.md. */
const LOOKED_AT = 5_000;
/** After how many of these whoever listens to the page is told of it again. */
const TOLD_EVERY = 20;

/** A list whose page is not full, though not all jobs were looked at. */
export interface SearchOn {
  /** Whether there may be more of this page. */
  readonly isUnfinished: boolean;
  readonly isGoing: boolean;
  /** How many jobs were looked at, at least. */
  readonly lookedAt: number;
  /** For whoever does not see the list: it changes rarely. */
  readonly news: string;
  readonly stop: () => void;
  readonly goOn: () => void;
}

/**
 * Goes on by itself with a search that the API has ended half-way, one request at a time, while somebody looks at the page,
 * until the page of the list is full or the end is reached.
 *
 * @param list what is listed; of another list nothing was stopped.
 * @param isHeld whether somebody is busy with what the list shows.
 */
export function useSearchOn(jobs: ReturnType<typeof useJobs>, list: string, isHeld: boolean): SearchOn {
  const [stopped, setStopped] = useState<string | undefined>(undefined);
  const pages = jobs.data?.pages ?? [];
  const found = pages.reduce((sum, page) => sum + page.jobs.length, 0);
  const last = pages.at(-1);
  const isUnfinished = last !== undefined && last.isPartial && last.next !== null && found < PAGE;
  const isStopped = stopped === list;
  const isReady = !jobs.isPlaceholderData && jobs.error === null;
  const isGoing = isUnfinished && isReady && !isStopped && !isHeld && isSeen.value;
  useEffect(() => {
    if (!isGoing || jobs.isFetching) {
      return undefined;
    }
    const timer = setTimeout(() => void jobs.fetchNextPage(), PAUSE);
    return () => clearTimeout(timer);
  }, [isGoing, jobs.isFetching, pages.length, list]);
  const partial = pages.filter(({ isPartial }) => isPartial).length;
  return {
    isUnfinished,
    isGoing,
    lookedAt: partial * LOOKED_AT,
    news: newsOf({ isGoing, isStopped, isUnfinished, found, partial }),
    stop: () => setStopped(list),
    goOn: () => {
      setStopped(undefined);
      if (!jobs.isFetching) {
        void jobs.fetchNextPage();
      }
    },
  };
}

interface SearchState {
  readonly isGoing: boolean;
  readonly isStopped: boolean;
  readonly isUnfinished: boolean;
  readonly found: number;
  readonly partial: number;
}

function newsOf({ isGoing, isStopped, isUnfinished, found, partial }: SearchState): string {
  if (isGoing) {
    const told = Math.floor(partial / TOLD_EVERY) * TOLD_EVERY * LOOKED_AT;
    return told === 0 ? 'The search goes on.' : `The search goes on: ${formatNumber(told)} jobs were looked at.`;
  }
  if (isUnfinished) {
    return isStopped ? `The search was stopped: ${formatJobs(found)} found so far.` : '';
  }
  return partial > 0 ? `The search has ended: ${formatJobs(found)} found.` : '';
}
