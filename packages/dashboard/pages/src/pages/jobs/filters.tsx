import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { useQueueNames } from '../../api/queries.js';
import { Icon } from '../../components/icon.js';
import { jobPath } from '../../components/link.js';
import { type JobQuery, TEXT_FILTERS, isFiltered } from './job-query.js';
import { TimeFilter } from './time-filter.js';

const JOB_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

interface FiltersProps {
  readonly query: JobQuery;
  readonly change: (changes: Partial<JobQuery>, options?: { replace: boolean }) => void;
  readonly clear: () => void;
  readonly search: RefObject<HTMLInputElement>;
}

export function Filters({ query, change, clear, search }: FiltersProps) {
  const [, navigate] = useLocation();
  const { names: queues, hasMore } = useQueueNames().data ?? { names: [], hasMore: false };
  const [isOpen, setOpen] = useState(false);
  const active = TEXT_FILTERS.filter((name) => query[name] !== undefined && name !== 'name').length;
  const text = (name: 'name' | 'key' | 'tenant' | 'error') => ({
    value: query[name] ?? '',
    change: (value: string) => change({ [name]: value || undefined }, { replace: true }),
  });
  const searchFor = text('name');
  return (
    <form class={`filters ${isOpen ? 'is-open' : ''}`} role="search" onSubmit={(event) => event.preventDefault()}>
      <TextFilter
        title="Name or id"
        hint="whole name, or job id"
        field={search}
        value={searchFor.value}
        change={(value) => (JOB_ID.test(value.trim()) ? navigate(jobPath(value.trim())) : searchFor.change(value))}
      />
      <button
        type="button"
        class="button filters-more"
        aria-expanded={isOpen}
        aria-controls="more-filters"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="filter" />
        Filters{active > 0 && ` (${active})`}
      </button>
      <div class="filters-others" id="more-filters">
        <label class="field">
          <span>Queue</span>
          <select
            value={query.queue ?? ''}
            onChange={(event) => change({ queue: event.currentTarget.value || undefined })}
          >
            <option value="">All queues</option>
            {[...new Set(query.queue === undefined ? queues : [...queues, query.queue])].map((queue) => (
              <option key={queue}>{queue}</option>
            ))}
            {hasMore && <option disabled>More queues: open one on the overview</option>}
          </select>
        </label>
        <TextFilter title="Key" hint="order:42" {...text('key')} />
        <TextFilter title="Tenant" {...text('tenant')} />
        <TextFilter title="Error contains" hint="timeout" {...text('error')} />
        <TimeFilter query={query} change={change} />
        {isFiltered(query) && (
          <button type="button" class="button-plain filters-clear" onClick={clear}>
            Clear filters
          </button>
        )}
      </div>
    </form>
  );
}

interface TextFilterProps {
  readonly title: string;
  readonly hint?: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly field?: RefObject<HTMLInputElement>;
}

/** How long to wait after a key press before the filter changes, in ms. */
const TYPING_PAUSE = 350;

function TextFilter({ title, hint, value, change, field }: TextFilterProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The latest callback: other filters may change while the user types.
  const latest = useRef(change);
  latest.current = change;
  const applied = useRef(value);
  // The URL also changes by going back, and by clearing all filters.
  useEffect(() => {
    if (value !== applied.current) {
      applied.current = value;
      clearTimeout(timer.current);
      setText(value);
    }
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (typed: string) => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      applied.current = typed;
      latest.current(typed);
    }, TYPING_PAUSE);
  };
  return (
    <label class="field">
      <span>{title}</span>
      <input
        ref={field}
        type="search"
        value={text}
        placeholder={hint}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </label>
  );
}
