import { afterAll, afterEach, beforeAll } from '@jest/globals';

import { type Look, TestBrowser, type Visit } from './browser.js';
import { MockPages } from './mock-pages.js';

/** The job with a page among the mock answers. */
export const JOB_PATH = 'jobs/0193f5a1-7c06-7b31-9d42-0000000000a6';

/** Every page: its name, and its path behind the address of all. */
export const PAGES = [
  ['overview', ''],
  ['queue', 'queues/mail'],
  ['running jobs', 'jobs'],
  ['failed jobs', 'jobs?state=failed&queue=mail'],
  ['job', JOB_PATH],
  ['failures', 'failures'],
  ['graph', `${JOB_PATH}/graph`],
  ['group', 'groups/0193f5a1-7c01-7b31-9d42-000000011171?outcome=succeeded'],
  ['search', 'search?text=order'],
  ['blocked keys', 'blocked-keys'],
  ['workers', 'workers'],
  ['recurring', 'recurring'],
  ['events', 'events'],
  ['health', 'health'],
  ['audit', 'audit'],
] as const;

/** The built pages, with answers that are made up, and a browser to look at them. */
export interface MockedBrowser {
  /** The address of all pages, with a slash at its end. */
  readonly url: string;
  visit(path: string, look?: Look): Promise<Visit>;
}

/** For files that change nothing: one server and one browser for all tests, whose windows are closed behind each. */
export function mockedBrowser(): MockedBrowser {
  let browser: TestBrowser;
  let pages: MockPages;
  beforeAll(async () => {
    [browser, pages] = await Promise.all([TestBrowser.start(), MockPages.start()]);
  });
  afterEach(() => browser.closeVisits());
  afterAll(async () => {
    await browser.close();
    await pages.stop();
  });
  return {
    get url() {
      return pages.url;
    },
    visit: (path, look) => browser.visit(`${pages.url}${path}`, look),
  };
}
