import type { ComponentChildren } from 'preact';
import { useLocation } from 'wouter-preact';

import { useMe } from '../api/queries.js';
import { ErrorBoundary } from '../components/load.js';
import { Notices } from '../components/notices.js';
import { ConnectionStatus } from './connection-status.js';
import { DatabaseChoice } from './database-choice.js';
import { ShortcutsHelp } from './shortcuts-help.js';
import { Navigation } from './navigation.js';
import { RoleNote } from './role-note.js';
import { SearchBox } from './search-box.js';
import { ThemeChoice } from './theme-choice.js';

export function Layout({ children }: { readonly children: ComponentChildren }) {
  const [location] = useLocation();
  const environment = useMe().data?.environment;
  const skip = (event: Event) => {
    // Not by the URL: with <base> in the page, "#main" would lead to another page.
    event.preventDefault();
    document.querySelector<HTMLElement>('#main')?.focus();
  };
  return (
    <div class="layout">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="bar">
        <span class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M9 10.5h14M9 16h14M9 21.5h6" />
          </svg>
          Tablequeue
          {environment && <span class="environment">{environment}</span>}
        </span>
        <DatabaseChoice />
        <SearchBox />
        <Navigation />
        <div class="bar-foot">
          <RoleNote />
          <ConnectionStatus />
          <div class="bar-tools">
            <ThemeChoice />
            <ShortcutsHelp />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={location}>{children}</ErrorBoundary>
      </main>
      <Notices />
    </div>
  );
}
