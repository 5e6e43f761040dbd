import type { InfiniteData, QueryClient } from '@tanstack/preact-query';

/**
 * Removes all pages except the first from the cached lists of a kind. Otherwise a refresh would read every page again,
 * which can be thousands of requests after a long search.
 */
export function keepFirstPages(client: QueryClient, kind: string): void {
  client.setQueriesData<InfiniteData<unknown> | object>({ queryKey: [kind] }, (data) =>
    data && 'pages' in data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  );
}
