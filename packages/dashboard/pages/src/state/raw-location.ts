import type { BaseLocationHook, BaseSearchHook } from 'wouter-preact';
import { usePathname, useSearch } from 'wouter-preact/use-browser-location';

import { navigateToEntry } from './scroll.js';

/** Escapes a text that the router decodes, so that it stays as it is. */
const escaped = (text: string): string => text.replaceAll('%', '%25');

/**
 * Returns a location hook that keeps the path below the base as it is in the URL. The router decodes paths with
 * `decodeURI`: then `%2F` and `%252F` would look the same, and names could not be decoded any more.
 */
export const rawLocationBelow =
  (base: string): BaseLocationHook =>
  () => {
    const path = usePathname();
    return [path.startsWith(base) ? base + escaped(path.slice(base.length)) : path, navigateToEntry];
  };

/** Returns the search as it is in the URL. The router decodes it, and `URLSearchParams` would decode it once more. */
export const useRawSearch: BaseSearchHook = () => escaped(useSearch());

/** Decodes a segment of a path. Returns a segment that cannot be decoded as it is. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
