import { expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';

test('works in node:test too, and leaves nothing open', async () => {
  const program = ChildProcess.start(new URL('../dist/processes/node-test.js', import.meta.url));
  await program.ended();
  expect(program.output).toMatch(/pass 2\b/);
  expect(program.output).toMatch(/fail 0\b/);
});
