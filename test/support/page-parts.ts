import type { Page } from 'playwright-core';

/** The rows of a list of jobs. */
export const rowsOf = (page: Page) => page.locator('[data-job]');
/** Waits for a notice. */
export const notified = (page: Page, text: string) => page.locator('.notices').getByText(text).waitFor();
/** A parameter of the URL. */
export const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
