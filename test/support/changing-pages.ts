import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Page } from 'playwright-core';

import { type Look, TestBrowser, type Visit, settled } from './browser.js';
import { MockPages } from './mock-pages.js';

/** The pages of each test, with answers that are made up and that the test changes. */
export interface ChangingPages {
  readonly pages: MockPages;
  readonly visit: (path: string, look?: Look) => Promise<Visit>;
  /** The same, and waits for the data of the page. */
  readonly open: (path: string, look?: Look) => Promise<Page>;
}

/** For files that change something: each test starts with new answers. */
export function changingPages(): ChangingPages {
  let browser: TestBrowser;
  let pages: MockPages;
  beforeAll(async () => {
    browser = await TestBrowser.start();
  });
  beforeEach(async () => {
    pages = await MockPages.start();
  });
  afterEach(async () => {
    await browser.closeVisits();
    await pages.stop();
  });
  afterAll(() => browser.close());
  const visit = (path: string, look?: Look) => browser.visit(`${pages.url}${path}`, look);
  return {
    get pages() {
      return pages;
    },
    visit,
    async open(path, look) {
      const { page } = await visit(path, look);
      await settled(page);
      return page;
    },
  };
}
