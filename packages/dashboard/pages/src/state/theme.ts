import { effect, signal } from '@preact/signals';

import { saveChoice } from './saved-choice.js';

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
  saveChoice(STORED_AS, value);
});

/** Increases when the colors change, for canvases, which CSS does not style. */
export const paintVersion = signal(0);

effect(() => {
  void theme.value;
  paintVersion.value = paintVersion.peek() + 1;
});

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  paintVersion.value += 1;
});
