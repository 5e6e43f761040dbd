import type { InfiniteData, QueryClient } from '@tanstack/preact-query';

/**
 * Forgets all pages but the first of each list of a kind. Read again, such a list would be read whole, page by page and
 * without a pause: one that was searched for long is thousands of requests.
 */
export function keepFirstPages(client: QueryClient, kind: string): void {
  client.setQueriesData<InfiniteData<unknown> | object>({ queryKey: [kind] }, (data) =>
    data && 'pages' in data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  );
}
