import { useHistoryState } from 'wouter-preact/use-browser-location';

/** The cursors of the pages that somebody has come by on the way to this one, the first page's, which is empty, included. */
export interface Trail {
  readonly trail: readonly string[];
}

/** It stands in the entry of the browser's history: whoever opens a link that was shared has come by no page. */
export function useTrail(): readonly string[] {
  return useHistoryState<Partial<Trail> | null>()?.trail ?? [];
}
