import { setImmediate } from 'node:timers/promises';

import type { Codecs } from '../../codec/codecs.js';
import { BEHIND_ALL_IDS, uuidFromBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { readClock } from '../../store/base/read-clock.js';
import { searchByKey, searchExactly } from '../../store/browse/search-by-index.js';
import { searchChunk } from '../../store/browse/search-chunk.js';
import type { SearchChunk, SearchField, SearchMatch } from '../../store/browse/search-text.js';
import type { JobSummary } from '../../store/reports/find-jobs.js';
import { findSummaries } from '../../store/reports/find-summaries.js';
import { decodeSummaries } from '../jobs/decode-jobs.js';
import { type JobFilter, STATES } from '../jobs/job-filter.js';
import {
  type JobSearchOptions,
  type Search,
  type SearchPosition,
  type SearchSource,
  resolveSearch,
  sourceAfter,
  textOfPosition,
} from './search-options.js';

/** A job that a search has found. */
export interface FoundJob extends JobSummary {
  /**
   * Where the text was found first: the whole text as id, key, unique key or tenant, or a part of the name, the last
   * error or the payload.
   */
  readonly foundIn: SearchField;
}

/** What one call of `jobs.search` has found. */
export interface JobSearchPage {
  /** The jobs: those with this id or unique key, then those with this key, then all others. Each the latest first. */
  readonly jobs: readonly FoundJob[];
  /** How many jobs this call has found by state, also those of other states than `state`. */
  readonly counts: Readonly<Record<JobFilter['state'], number>>;
  /** Pass it as `after` to search on. Undefined: all jobs were searched. */
  readonly next: string | undefined;
  /**
   * All jobs that were created at this time or later were searched, by the clock of the process that created them.
   * Undefined if all jobs were searched, or if the page was full before.
   */
  readonly searchedSince: Date | undefined;
  /** How many jobs this call has read, the latest created first. Look-ups by id and key do not count. */
  readonly examined: number;
  /** The ids of codecs: this call has met errors or payloads that they have encoded, and could not search these. */
  readonly encodedBy: readonly string[];
  /** When the jobs were read, by the database's clock. */
  readonly takenAt: Date;
}

/** How long a call searches, in ms. The found jobs are read within the rest of 2 s. See docs/decisions/0146. */
const LONGEST_SEARCH = 1_800;

/** How many jobs the first statement examines: few enough that it ends in time, however large they are. */
const FIRST_CHUNK = 64;
const LARGEST_CHUNK = 5_000;
/** How long a chunk should take, in ms. On SQLite the process waits for it; elsewhere large chunks cost less. */
const CHUNK_TIME = { sqlite: 50, server: 250 };
/** A chunk is at most this many times as large as the one before. */
const GROWTH = 4;

/** Searches all states: see `JobBrowser.search`. */
export async function searchAllStates(
  engine: Engine,
  codecs: Codecs,
  text: string,
  options: JobSearchOptions,
): Promise<JobSearchPage> {
  const search = resolveSearch(text, options, codecs);
  const { page, position } = await find(engine, search);
  const [summaries, now] = await executeRead(engine, 'read jobs', function* (dialect) {
    const ids = page.listed.map(({ id }) => id);
    return [yield* findSummaries(dialect, ids), yield* readClock(dialect)] as const;
  });
  const fields = new Map(page.listed.map(({ id, field }) => [uuidFromBytes(id), field]));
  // A job may have gone on, or be gone, since it was found.
  const found = [...fields.keys()].flatMap((id) => summaries.get(id) ?? []);
  const shown = found.filter(({ state }) => search.state === undefined || state === search.state);
  const jobs = await decodeSummaries(codecs, shown);
  return {
    jobs: jobs.map((job) => ({ ...job, foundIn: fields.get(job.id) as SearchField })),
    counts: page.counts,
    next: position && textOfPosition(position),
    searchedSince: timeReached(position),
    examined: page.examined,
    encodedBy: page.codecs,
    takenAt: new Date(now),
  };
}

/** Searches until the page is full, the time is over, or all jobs were searched. */
async function find(engine: Engine, { wanted, state, limit, start }: Search) {
  const until = performance.now() + LONGEST_SEARCH;
  const chunkTime = engine.isSynchronous ? CHUNK_TIME.sqlite : CHUNK_TIME.server;
  const timeLeft = () => Math.max(1, Math.ceil(until - performance.now()));
  const exact = await executeRead(engine, 'search jobs', (dialect) => searchExactly(dialect, wanted));
  const page = new SearchedPage(exact, state, limit);
  let size = FIRST_CHUNK;
  const read = async ({ source, before }: SearchPosition): Promise<SearchChunk | undefined> => {
    if (source === 'exact') {
      const matches = exact.filter(({ id }) => Buffer.compare(id, before) < 0);
      return { matches, end: undefined, examined: matches.length, codecs: [] };
    }
    if (source === 'key' && !wanted.isKey) {
      return { matches: [], end: undefined, examined: 0, codecs: [] };
    }
    return executeRead(engine, 'search jobs', (dialect) =>
      source === 'key'
        ? searchByKey(dialect, wanted.text, before, size)
        : searchChunk(dialect, wanted, { before, most: size, codecs: page.codecs, timeLeft }),
    );
  };
  let position: SearchPosition | undefined = start;
  do {
    const since = performance.now();
    const chunk = await read(position);
    if (!chunk) {
      break;
    }
    const before: Buffer | undefined = page.add(chunk, position.source) ?? chunk.end;
    position = before ? { source: position.source, before } : sourceAfter(position);
    if (chunk.examined === size) {
      size = nextSize(size, chunkTime / (performance.now() - since));
    }
    // On SQLite a chunk does not yield to the event loop.
    await setImmediate();
  } while (position && !page.isFull && performance.now() < until);
  return { page, position };
}

/** @param factor how many times as many jobs can be read in the time of a chunk. */
function nextSize(size: number, factor: number): number {
  const wanted = Math.round(size * Math.min(factor, GROWTH));
  return Math.max(FIRST_CHUNK, Math.min(wanted, LARGEST_CHUNK));
}

/** Ids begin with the time at which their process made them. */
function timeReached(position: SearchPosition | undefined): Date | undefined {
  return position?.source !== 'all' || position.before.equals(BEHIND_ALL_IDS)
    ? undefined
    : new Date(position.before.readUIntBE(0, 6));
}

/** The jobs that a call has found so far. */
class SearchedPage {
  readonly listed: SearchMatch[] = [];
  readonly counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<JobFilter['state'], number>;
  readonly codecs: string[] = [];
  examined = 0;
  /** Jobs that were found by their id or unique key are not found again. */
  private readonly exact: ReadonlySet<string>;

  constructor(
    exact: readonly SearchMatch[],
    private readonly state: JobFilter['state'] | undefined,
    private readonly limit: number,
  ) {
    this.exact = new Set(exact.map(({ id }) => uuidFromBytes(id)));
  }

  get isFull(): boolean {
    return this.listed.length === this.limit;
  }

  /** @returns the id to continue before, if the page has no space for all matches. They are not counted then. */
  add({ matches, examined, codecs }: SearchChunk, source: SearchSource): Buffer | undefined {
    this.examined += source === 'all' ? examined : 0;
    this.codecs.push(...codecs);
    let last: Buffer | undefined;
    for (const match of matches.filter(({ id }) => source === 'exact' || !this.exact.has(uuidFromBytes(id)))) {
      const isListed = this.state === undefined || match.state === this.state;
      if (isListed && this.isFull) {
        return last;
      }
      if (isListed) {
        this.listed.push(match);
      }
      this.counts[match.state]++;
      last = match.id;
    }
    return undefined;
  }
}
