import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

import { pathTo } from '../components/link.js';
import { useShortcuts } from '../state/shortcuts.js';

/** The longest text that the API searches for, in characters. */
const LONGEST_TEXT = 1_000;

/** Searches all states. The results are a page of their own. */
export function SearchBox() {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const client = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const text = location === '/search' ? (new URLSearchParams(search).get('text') ?? '') : '';
  // The text also changes by going back.
  useEffect(() => {
    if (field.current) {
      field.current.value = text;
    }
  }, [text]);
  // The list of jobs has a field of its own.
  useShortcuts({ ...(location !== '/jobs' && { '/': () => field.current?.focus() }) });
  const submit = (event: Event) => {
    event.preventDefault();
    const wanted = field.current?.value.trim();
    if (wanted) {
      // The same search again reads the jobs again.
      void client.resetQueries({ queryKey: ['search', wanted] });
      navigate(pathTo('/search', { text: wanted }));
    }
  };
  return (
    <form class="search-box field" role="search" aria-label="All jobs" onSubmit={submit}>
      <input
        ref={field}
        type="search"
        aria-label="Search all jobs"
        placeholder="Search all jobs"
        maxLength={LONGEST_TEXT}
        autoComplete="off"
        spellcheck={false}
      />
    </form>
  );
}
