import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { Router } from 'wouter-preact';

import { LiveOverview } from './api/live.js';
import { FRESH_FOR } from './api/queries.js';
import { RequestError } from './api/request-error.js';
import { App } from './app.js';
import { startClock } from './format/times.js';
import { rawLocationBelow, useRawSearch } from './state/raw-location.js';
import { startScrollRestoration } from './state/scroll.js';
import './styles/index.css';

/** The path of the dashboard in the browser's URL. The server writes it into the page. */
const base = new URL(document.baseURI).pathname.replace(/\/$/, '');

const useLocationBelow = rawLocationBelow(base);

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_FOR,
      retry: (failures, error) => failures < 1 && error instanceof RequestError && error.isTransient,
      retryDelay: 500,
    },
    mutations: { retry: false },
  },
});

startScrollRestoration();
startClock();
new LiveOverview(client).start();

const root = document.querySelector('#app');
if (root) {
  render(
    <QueryClientProvider client={client}>
      <Router base={base} hook={useLocationBelow} searchHook={useRawSearch}>
        <App />
      </Router>
    </QueryClientProvider>,
    root,
  );
}
