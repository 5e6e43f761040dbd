import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { settled } from '../support/browser.js';
import { PAGES, mockedBrowser } from '../support/mocked-browser.js';

/** What is checked on an element that has the focus. */
interface Stop {
  /** Its index among all focusable elements, in document order; -1 for the document itself. */
  readonly place: number;
  readonly html: string;
  /** Whether an outline or a shadow shows the focus. */
  readonly isMarked: boolean;
  /** Whether its center is inside the window and not covered. */
  readonly isInSight: boolean;
}

/** Records the elements that a mouse can use, and returns their number. A group of radio buttons counts once. */
const NOTE_CONTROLS = `(() => {
  globalThis.controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.type !== 'radio' || element.checked)
    .filter((element) => !element.disabled && element.checkVisibility({ visibilityProperty: true }));
  return globalThis.controls.length;
})()`;

const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  // Of a radio button, only its label is visible.
  const drawn = element.type === 'radio' ? element.labels[0] : element;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(drawn);
  const { left, top, width, height } = drawn.getBoundingClientRect();
  const above = document.elementFromPoint(left + width / 2, top + height / 2);
  return {
    place: globalThis.controls.indexOf(element),
    html: element.outerHTML.slice(0, 150),
    isMarked: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none',
    isInSight: above !== null && (drawn.contains(above) || above.contains(drawn)),
  };
})()`;

const pages = mockedBrowser();

/** Returns the elements that Tab reaches until it leaves the document. */
async function walk(page: Page, controls: number): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let pressed = 0; pressed < controls + 1; pressed++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<Stop>(DESCRIBE_FOCUS);
    if (stop.place === -1) {
      break;
    }
    stops.push(stop);
  }
  return stops;
}

test.each(PAGES)('%s: Tab reaches all controls in order, and each shows the focus', async (_name, path) => {
  const { page } = await pages.visit(path);
  await settled(page);
  // The role of the user is requested separately, and adds controls.
  await page.locator('.role').waitFor();
  const controls = await page.evaluate<number>(NOTE_CONTROLS);
  const stops = await walk(page, controls);
  expect(stops.map(({ place }) => place)).toEqual(Array.from({ length: controls }, (_, place) => place));
  expect(stops.filter(({ isMarked, isInSight }) => !isMarked || !isInSight)).toEqual([]);
});
