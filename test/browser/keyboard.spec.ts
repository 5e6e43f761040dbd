import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { settled } from '../support/browser.js';
import { PAGES, mockedBrowser } from '../support/mocked-browser.js';

/** What is found on an element that has the focus. */
interface Stop {
  /** Its place among all that can have the focus, in the order of the document; -1 for the document itself. */
  readonly place: number;
  readonly html: string;
  /** Whether the focus shows by an outline or a shadow. */
  readonly isMarked: boolean;
  /** Whether its middle is within the window and nothing else lies over it. */
  readonly isInSight: boolean;
}

/** Notes what a mouse can use, and says how much that is. Of radio buttons the chosen one stands for its group. */
const NOTE_CONTROLS = `(() => {
  globalThis.controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.type !== 'radio' || element.checked)
    .filter((element) => !element.disabled && element.checkVisibility({ visibilityProperty: true }));
  return globalThis.controls.length;
})()`;

const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  // Of a radio button its label is drawn.
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

/** All that the tabulator comes by until it has left the document. */
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

test.each(PAGES)(
  '%s: the tabulator comes by all controls, in their order, and each says that it is there',
  async (_name, path) => {
    const { page } = await pages.visit(path);
    await settled(page);
    // What one may do is asked for by itself, and brings controls.
    await page.locator('.role').waitFor();
    const controls = await page.evaluate<number>(NOTE_CONTROLS);
    const stops = await walk(page, controls);
    expect(stops.map(({ place }) => place)).toEqual(Array.from({ length: controls }, (_, place) => place));
    expect(stops.filter(({ isMarked, isInSight }) => !isMarked || !isInSight)).toEqual([]);
  },
);
