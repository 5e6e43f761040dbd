import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { Router } from 'wouter-preact';

import { LiveOverview } from './api/live.js';
import { FRESH_FOR } from './api/queries.js';
import { RequestError } from './api/request-error.js';
import { App } from './app.js';
import { startClock } from './format/times.js';
import './styles/index.css';

/** The path of the dashboard in the browser's URL. The server writes it into the page. */
const base = new URL(document.baseURI).pathname.replace(/\/$/, '');

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

startClock();
new LiveOverview(client).start();

const root = document.querySelector('#app');
if (root) {
  render(
    <QueryClientProvider client={client}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>,
    root,
  );
}
