import { expect, test } from '@jest/globals';

import { settled } from '../support/browser.js';
import { hide, openHidden, show } from '../support/hidden-page.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

/** The connections of a browser to one server, for all tabs together. */
const CONNECTIONS = 6;

test('tabs in the background use no connection, whether opened or moved there', async () => {
  const { page } = await pages.visit('');
  await page.getByText('Live', { exact: true }).waitFor();
  await hide(page);
  const others = [];
  for (let tab = 0; tab < CONNECTIONS; tab++) {
    const other = await page.context().newPage();
    await openHidden(other);
    await other.goto(pages.url);
    await settled(other);
    // As in all tabs when the computer wakes up.
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
