import { useMemo, useRef } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

import type { JobFilter } from '../../contract.js';
import { MINUTE, minute } from '../../format/times.js';
import { STATES } from '../../format/words.js';
import { pathTo } from '../../parts/link.js';

/** The filters as they stand in the address. */
export interface Wanted extends Omit<JobFilter, 'from' | 'to'> {
  /** Back from now, in ms: an address that is shared goes on meaning the last hour. */
  readonly within?: string;
  /** Between two times, in ms since 1970: an address that is shared means the same hours in every zone. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
}

export const TEXT_FILTERS = ['queue', 'name', 'key', 'tenant', 'error', 'within', 'from', 'to'] as const;

const TIME = /^\d{1,15}$/;

export function useWanted() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const wanted = useMemo(() => wantedOf(search), [search]);
  /** Any change of the filters leads back to the first page. */
  const change = (changes: Partial<Wanted>, options?: { replace: boolean }) =>
    navigate(pathTo('/jobs', { ...wanted, cursor: undefined, ...changes }), options);
  const clear = () => navigate(pathTo('/jobs', { state: wanted.state }));
  return { wanted, change, clear };
}

/**
 * What the API is asked for. The last hour moves on by the minute: with each second another question would be asked.
 *
 * @param isHeld whether somebody is busy with what the list shows; it does not move then.
 */
export function useFilter(wanted: Wanted, isHeld: boolean): JobFilter {
  const asked = useRef({ wanted, until: minute.value });
  if (asked.current.wanted !== wanted || (!isHeld && asked.current.until !== minute.value)) {
    asked.current = { wanted, until: minute.value };
  }
  const { until } = asked.current;
  return useMemo(() => filterOf(wanted, until), [wanted, until]);
}

function wantedOf(search: string): Wanted {
  const parameters = new URLSearchParams(search);
  const texts = ['cursor', ...TEXT_FILTERS].flatMap((name) => {
    const text = parameters.get(name);
    return text ? [[name, text] as const] : [];
  });
  const state = STATES.find((known) => known === parameters.get('state')) ?? 'running';
  const { from, to, ...others } = Object.fromEntries(texts) as Partial<Wanted>;
  return {
    state,
    ...others,
    ...(from !== undefined && TIME.test(from) && { from }),
    ...(to !== undefined && TIME.test(to) && { to }),
  };
}

function filterOf({ cursor: _cursor, within, from, to, ...wanted }: Wanted, until: number): JobFilter {
  const back = Number(within);
  if (back > 0) {
    // Of those that are due later the last hour has none.
    return { ...wanted, from: until - back, ...(wanted.state === 'scheduled' && { to: until + MINUTE }) };
  }
  return { ...wanted, ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
}

export const isFiltered = (wanted: Wanted): boolean => TEXT_FILTERS.some((name) => wanted[name] !== undefined);
