import { expect, test } from '@jest/globals';

import { cutInMiddle } from './cut.js';

test.each([
  ['mail', 9, 'mail'],
  ['mail:test', 9, 'mail:test'],
  ['mail:of:test:mail', 9, 'mail…mail'],
  ['mail:of:test:mail', 10, 'mail:…mail'],
  ['😀😀😀😀😀', 3, '😀…😀'],
])('%s is cut to %i characters: %s', (text, most, cut) => expect(cutInMiddle(text, most)).toBe(cut));
