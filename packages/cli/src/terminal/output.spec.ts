import { expect, test } from '@jest/globals';

import { Output } from './output.js';

/** What is written for a line with a key that sets the title of the terminal, and reverses the text. */
function written(isTTY: boolean): string[] {
  const texts: string[] = [];
  const stream = { isTTY, write: (text: string) => texts.push(text) };
  const output = new Output(stream, stream, {}, (text) => text);
  const line = `key \u001b]0;x\u0007\u202e\n\tof ${output.style('red', '7')}`;
  output.print(line);
  output.error(line);
  return texts;
}

test('control characters become visible, beside styles', () => {
  const key = 'key \\u001b]0;x\\u0007\\u202e\n\tof ';
  expect(written(false)).toEqual([`${key}7\n`, `tablequeue: ${key}7\n`]);
  expect(written(true)[0]).toBe(`${key}\u001b[31m7\u001b[39m\n`);
});
