import type { ComponentChildren } from 'preact';
import { useLocation } from 'wouter-preact';

import { Mishap } from '../parts/mishap.js';
import { Notices } from '../parts/notices.js';
import { ConnectionNote } from './connection-note.js';
import { DatabaseChoice } from './database-choice.js';
import { KeysHelp } from './keys-help.js';
import { Navigation } from './navigation.js';
import { RoleNote } from './role-note.js';
import { ThemeChoice } from './theme-choice.js';

export function Layout({ children }: { readonly children: ComponentChildren }) {
  const [location] = useLocation();
  const skip = (event: Event) => {
    // Not by the address: with <base> in the page, "#main" would lead to another page.
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
        </span>
        <DatabaseChoice />
        <Navigation />
        <div class="bar-foot">
          <RoleNote />
          <ConnectionNote />
          <div class="bar-tools">
            <ThemeChoice />
            <KeysHelp />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Mishap key={location}>{children}</Mishap>
      </main>
      <Notices />
    </div>
  );
}
