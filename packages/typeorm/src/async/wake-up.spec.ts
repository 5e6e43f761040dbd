import { expect, test } from '@jest/globals';

import { WakeUp } from './wake-up.js';

test('a call ends the sleep', async () => {
  const wakeUp = new WakeUp();
  const slept = wakeUp.sleep(Infinity);
  wakeUp.wake();
  expect(await slept).toBe(true);
});

test('a call while awake counts for the next sleep, once', async () => {
  const wakeUp = new WakeUp();
  wakeUp.wake();
  wakeUp.wake();
  expect(await wakeUp.sleep(Infinity)).toBe(true);
  expect(await wakeUp.sleep(1)).toBe(false);
});
