import { expect, test } from '@jest/globals';

import { settled } from '../support/browser.js';
import { hide, openHidden, show } from '../support/hidden-page.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

/** How many connections to a server a browser has, for all tabs together. */
const CONNECTIONS = 6;

test('tabs in the background leave the browser its connections, whether opened there or sent there', async () => {
  const { page } = await pages.visit('');
  await page.getByText('Live', { exact: true }).waitFor();
  await hide(page);
  const others = [];
  for (let tab = 0; tab < CONNECTIONS; tab++) {
    const other = await page.context().newPage();
    await openHidden(other);
    await other.goto(pages.url);
    await settled(other);
    // As after a night of the computer, of all tabs.
    await other.evaluate(`dispatchEvent(new Event('online'))`);
    others.push(other);
  }
  expect(await others[0]!.getByText('Live', { exact: true }).count()).toBe(0);
  await show(others[0]!);
  await others[0]!.getByText('Live', { exact: true }).waitFor();
  const last = await page.context().newPage();
  await last.goto(pages.url);
  await last.getByText('Live', { exact: true }).waitFor();
});
