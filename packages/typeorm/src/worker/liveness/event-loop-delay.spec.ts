import { expect, test } from '@jest/globals';

import { EventLoopDelay } from './event-loop-delay.js';

/** Blocks the event loop for so many ms. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test('a block counts at once, and only once', () => {
  const delay = new EventLoopDelay();
  delay.start();
  block(150);
  const { p99, max } = delay.take();
  delay.stop();
  expect(max).toBeGreaterThanOrEqual(129);
  expect(p99).toBeGreaterThan(100);
  expect(delay.take().max).toBeLessThan(100);
});

test('a delay that was put back is returned with the next', () => {
  const delay = new EventLoopDelay();
  delay.putBack({ p99: 7, max: 900 });
  delay.putBack({ p99: 30, max: 40 });
  expect(delay.take()).toEqual({ p99: 30, max: 900 });
  expect(delay.take()).toEqual({ p99: 0, max: 0 });
});
