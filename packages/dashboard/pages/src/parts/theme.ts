import { effect, signal } from '@preact/signals';

import { remember } from './remember.js';

export type Theme = 'system' | 'light' | 'dark';

/** The name that public/theme.js reads before the first paint. */
const STORED_AS = 'tablequeue.theme';

const isTheme = (text: string | undefined): text is Theme => text === 'light' || text === 'dark';

const chosen = document.documentElement.dataset.theme;

export const theme = signal<Theme>(isTheme(chosen) ? chosen : 'system');

effect(() => {
  const value = theme.value;
  if (value === 'system') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = value;
  }
  remember(STORED_AS, value);
});

/** Grows whenever colours have changed, for what is painted rather than styled. */
export const paintings = signal(0);

effect(() => {
  void theme.value;
  paintings.value = paintings.peek() + 1;
});

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  paintings.value += 1;
});
