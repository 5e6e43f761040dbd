import { useHistoryState } from 'wouter-preact/use-browser-location';

/** The cursors of the previous pages, starting with the empty one of the first page. */
export interface PreviousPages {
  readonly trail: readonly string[];
}

/** Reads them from the entry of the browser's history. A shared link has none. */
export function usePreviousPages(): readonly string[] {
  return useHistoryState<Partial<PreviousPages> | null>()?.trail ?? [];
}
