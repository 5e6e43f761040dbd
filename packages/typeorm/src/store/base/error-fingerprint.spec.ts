import { expect, test } from '@jest/globals';

import { COMPARED_CHARACTERS, identifyError } from './error-fingerprint.js';

test.each([
  ['Error: connect ECONNREFUSED 10.0.0.7:3306\n    at Socket', 'Error: connect ECONNREFUSED <number>'],
  ['TypeError: no user 0193f3a0-4a5c-7c3e-9d51-0d9f6a1b2c3d', 'TypeError: no user <uuid>'],
  ['Error: bounced: ada.l+test@shop.example (550)', 'Error: bounced: <email> (<number>)'],
  [
    `Error: key "a 1" of 'b' and \`c\` isn't there, or can't be`,
    `Error: key <value> of <value> and <value> isn't there, or can't be`,
  ],
  ['Error: commit 4f487860abcd at 0xdeadbeef', 'Error: commit <hex> at <hex>'],
  ['Error: GET https://api.example/v1/orders/7?x=1 failed', 'Error: GET <url> failed'],
  ['Error: defaced naïve, 1,234.5 ms', 'Error: defaced naïve, <number> ms'],
  ['', ''],
])('%j has the title %j', (text, title) => {
  expect(identifyError(text)).toEqual({ title, fingerprint: expect.stringMatching(/^[\da-f]{16}$/) });
});

test('errors that only differ in values have the same fingerprint, others do not', () => {
  const of = (text: string) => identifyError(text).fingerprint;
  expect(of('Error: order 1 is gone\n  at a')).toBe(of('Error: order 22 is gone\n  at b'));
  expect(of('Error: order 1 is gone')).not.toBe(of('RangeError: order 1 is gone'));
});

test('only the first characters are read, so a long text costs no more than a short one', () => {
  const start = 'Error: "'.padEnd(COMPARED_CHARACTERS, 'x');
  expect(identifyError(`${start}" is no name`)).toEqual(identifyError(start));
  // The quote that ends the value is the last character that is read.
  const quoted = `${start.slice(0, -1)}"`;
  expect(identifyError(`${quoted} is no name`).title).toBe('Error: <value>');
});
