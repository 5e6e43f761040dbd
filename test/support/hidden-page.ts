import type { Page } from 'playwright-core';

const seen = (isSeen: boolean): string => `
  Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isSeen} });
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isSeen ? 'visible' : 'hidden'}' });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`;

/** Opens the next pages hidden: a browser without a window shows all of its pages. */
export const openHidden = (page: Page): Promise<void> => page.addInitScript(seen(false)).then(() => undefined);

export const hide = (page: Page): Promise<void> => page.evaluate(seen(false));

export const show = (page: Page): Promise<void> => page.evaluate(seen(true));
