import { expect, test } from '@jest/globals';

import { cutInMiddle } from './cut.js';

test.each([
  ['mail', 9, 'mail'],
  ['ninechars', 9, 'ninechars'],
  ['imports:eu:nightly', 9, 'impo…htly'],
  ['imports:eu:nightly', 10, 'impor…htly'],
  ['😀😀😀😀😀', 3, '😀…😀'],
])('%s is cut to %i characters: %s', (text, most, cut) => expect(cutInMiddle(text, most)).toBe(cut));
