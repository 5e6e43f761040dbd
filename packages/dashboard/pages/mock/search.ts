import type { FoundJobRow, JobSearchPage, JobState, KeyedCounts } from '../src/contract.js';
import { STATES } from '../src/format/labels.js';
import { payloadOf } from './sample-data.js';
import type { Shop } from './shop.js';

const PAGE = 50;

/** The first page ends early, to show how a search goes on. */
const FIRST_PAGE = 20;

export function searchOf(shop: Shop, query: URLSearchParams): JobSearchPage {
  const text = query.get('text') ?? '';
  const state = query.get('state') as JobState | null;
  const found = shop.rows.flatMap((row) => {
    const foundIn = fieldOf(row, text, query.get('payload') === 'true');
    return foundIn ? [{ ...row, foundIn }] : [];
  });
  const start = Number(query.get('cursor') ?? 0);
  const end = start + (start === 0 ? FIRST_PAGE : PAGE);
  const isLast = end >= found.length;
  const read = found.slice(start, end);
  const counts = Object.fromEntries(
    STATES.map((each) => [each, { count: read.filter((row) => row.state === each).length, isCapped: !isLast }]),
  ) as KeyedCounts;
  return {
    jobs: read.filter((row) => state === null || row.state === state),
    counts,
    next: isLast ? null : String(end),
    searchedSince: isLast ? null : Date.now() - 3_600_000,
    examined: isLast ? shop.rows.length : end,
    encodedBy: [],
    takenAt: Date.now(),
  };
}

function fieldOf(
  { id, key, tenant, name, error }: Shop['rows'][number],
  text: string,
  payload: boolean,
): FoundJobRow['foundIn'] | undefined {
  if (id === text) {
    return 'id';
  }
  if (key === text) {
    return 'key';
  }
  if (tenant === text) {
    return 'tenant';
  }
  if (name.includes(text)) {
    return 'name';
  }
  if (error?.includes(text)) {
    return 'error';
  }
  return payload && JSON.stringify(payloadOf(key)).includes(text) ? 'payload' : undefined;
}
