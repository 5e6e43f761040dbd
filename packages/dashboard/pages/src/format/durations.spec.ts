import { expect, test } from '@jest/globals';

import { formatDuration, formatElapsed } from './durations.js';

test.each([
  [0, '0ms', '<1s'],
  [999, '999ms', '<1s'],
  [1000, '1s', '1s'],
  [-5000, '0ms', '<1s'],
  [190_000, '3m 10s', '3m 10s'],
])('%i ms are shown as %s, and as %s while they go on', (ms, duration, elapsed) => {
  expect(formatDuration(ms)).toBe(duration);
  expect(formatElapsed(ms)).toBe(elapsed);
});
