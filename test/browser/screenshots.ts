/*
 * Takes the screenshots of the documentation from a running application: from the sample, after it has run for a while
 * and a hundred orders were just placed. Those of events, blocked keys and graphs, which the sample does not have, are
 * taken from the pages with made-up answers.
 *
 *   npm start
 *   npm run screenshots -- http://127.0.0.1:3000/queues/
 *   npm run screenshots                                    only those that the sample does not have
 */
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { type Look, TestBrowser, THEMES, settled } from '../support/browser.js';
import { MockPages } from '../support/mock-pages.js';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

interface Listed {
  readonly jobs: readonly { readonly id: string; readonly attempt: number }[];
}

/** A page: the name of its pictures, its path behind the address of all, and the height that it fills. */
type Page = readonly [name: string, path: string, height: number];
type Picture = readonly [name: string, path: string, look: Look];

const MADE_UP: readonly Page[] = [
  ['events', 'events', 480],
  ['blocked-keys', 'blocked-keys', 480],
  ['graph', 'jobs/0193f5a1-7c06-7b31-9d42-0000000000a6/graph', 460],
];

async function main(address: string | undefined): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const browser = await TestBrowser.start();
  const madeUp = await MockPages.start(new URL('../processes/mock-pages.js', import.meta.url));
  try {
    await takeAll(browser, madeUp.url, inBothThemes(MADE_UP));
    if (address) {
      const base = address.endsWith('/') ? address : `${address}/`;
      await takeAll(browser, base, await picturesOfSample(base));
    }
  } finally {
    await madeUp.stop();
    await browser.close();
  }
}

async function picturesOfSample(base: string): Promise<readonly Picture[]> {
  const pages: readonly Page[] = [
    ['overview', '', 800],
    ['queue', 'queues/notices', 800],
    ['jobs', 'jobs?state=succeeded', 800],
    ['job', `jobs/${await mostTried(base)}`, 800],
    ['workers', 'workers', 420],
    ['recurring', 'recurring', 420],
    ['health', 'health', 540],
    ['audit', 'audit', 420],
  ];
  return [...inBothThemes(pages), ['overview-phone', '', { theme: 'dark', width: 375 }]];
}

function inBothThemes(pages: readonly Page[]): readonly Picture[] {
  return pages.flatMap(([name, path, height]) =>
    THEMES.map((theme) => [`${name}-${theme}`, path, { theme, viewport: { width: 1280, height } }] as const),
  );
}

async function takeAll(browser: TestBrowser, base: string, pictures: readonly Picture[]): Promise<void> {
  for (const [name, path, look] of pictures) {
    const { page } = await browser.visit(`${base}${path}`, look);
    await settled(page);
    await page.getByText('Live', { exact: true }).waitFor();
    const file = `${FOLDER}dashboard-${name}.png`;
    await page.screenshot({ path: file });
    console.log(`${file}: ${Math.round((await stat(file)).size / 1024)} kB`);
    await browser.closeVisits();
  }
}

/** Returns the job with the most attempts among the latest notices, whose receiver fails sometimes. */
async function mostTried(base: string): Promise<string> {
  const lists = await Promise.all(
    ['scheduled', 'succeeded', 'failed'].map(async (state) => {
      const { jobs } = (await (
        await fetch(`${base}api/jobs?state=${state}&name=payment.notice&limit=200`)
      ).json()) as Listed;
      return jobs;
    }),
  );
  const [job] = lists.flat().toSorted((one, other) => other.attempt - one.attempt);
  if (!job) {
    throw new Error(`There is no job at ${base}: let the application run for a while.`);
  }
  return job.id;
}

await main(process.argv[2]);
