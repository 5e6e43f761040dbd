import { expect, test } from '@jest/globals';

import { EventLoopMonitor } from './event-loop-monitor.js';

/** Blocks the event loop for so many ms. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test('a block counts at once, and only once', () => {
  const monitor = new EventLoopMonitor();
  monitor.start();
  block(150);
  const { p99, max } = monitor.take();
  monitor.stop();
  expect(max).toBeGreaterThanOrEqual(129);
  expect(p99).toBeGreaterThan(100);
  expect(monitor.take().max).toBeLessThan(100);
});

test('a delay that was put back is returned with the next', () => {
  const monitor = new EventLoopMonitor();
  monitor.putBack({ p99: 7, max: 900 });
  monitor.putBack({ p99: 30, max: 40 });
  expect(monitor.take()).toEqual({ p99: 30, max: 900 });
  expect(monitor.take()).toEqual({ p99: 0, max: 0 });
});
