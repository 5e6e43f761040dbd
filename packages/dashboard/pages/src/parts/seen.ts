import { signal } from '@preact/signals';

/** Whether somebody may be looking at the page: it is in front, in a window that is open. */
export const isSeen = signal(!document.hidden);

document.addEventListener('visibilitychange', () => {
  isSeen.value = !document.hidden;
});
