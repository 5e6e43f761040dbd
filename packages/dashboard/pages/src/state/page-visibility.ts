import { signal } from '@preact/signals';

/** Whether the page is visible: its tab is active, and its window is not minimized. */
export const isPageVisible = signal(!document.hidden);

document.addEventListener('visibilitychange', () => {
  isPageVisible.value = !document.hidden;
});
