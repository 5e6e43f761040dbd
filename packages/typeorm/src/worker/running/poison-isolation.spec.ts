import { setImmediate } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { PoisonIsolation } from './poison-isolation.js';
import type { AttemptResult } from '../completing/outcome.js';

const DONE: AttemptResult = { kind: 'succeeded', keep: 'none' };

/** A promise that the test resolves. */
function held() {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end };
}

async function someTicks(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) {
    await setImmediate();
  }
}

test('an attempt begins when the outcome of the one before is stored', async () => {
  const isolation = new PoisonIsolation();
  const outcome = held();
  expect(await isolation.runIsolated(() => Promise.resolve(DONE))).toBe(DONE);
  isolation.trackCompletion(outcome.promise);
  let hasBegun = false;
  const second = isolation.runIsolated(() => {
    hasBegun = true;
    return Promise.resolve(DONE);
  });
  await someTicks();
  expect(hasBegun).toBe(false);
  outcome.end();
  expect(await second).toBe(DONE);
});

test('an attempt begins when the claim under way has ended, and the jobs it claimed are rescheduled', async () => {
  const isolation = new PoisonIsolation();
  const [claim, outcome] = [held(), held()];
  void isolation.runClaim(() => claim.promise);
  let hasBegun = false;
  const attempt = isolation.runIsolated(() => {
    hasBegun = true;
    return Promise.resolve(DONE);
  });
  await someTicks();
  expect(hasBegun).toBe(false);
  claim.end();
  expect(await isolation.runIsolated(() => Promise.resolve(DONE))).toMatchObject({ kind: 'snoozed' });
  isolation.trackCompletion(outcome.promise);
  await someTicks();
  expect(hasBegun).toBe(false);
  outcome.end();
  expect(await attempt).toBe(DONE);
});

test('claims wait while an attempt starts, and continue while it runs', async () => {
  const isolation = new PoisonIsolation();
  const handler = held();
  const attempt = isolation.runIsolated(() => handler.promise.then(() => DONE));
  await someTicks();
  let hasClaimed = false;
  const claim = isolation.runClaim(() => {
    hasClaimed = true;
    return Promise.resolve();
  });
  await someTicks();
  expect(hasClaimed).toBe(false);
  await claim;
  handler.end();
  expect(await attempt).toBe(DONE);
});

test('an outcome that takes long blocks no claim', async () => {
  const isolation = new PoisonIsolation();
  const outcome = held();
  isolation.trackCompletion(outcome.promise);
  const attempt = isolation.runIsolated(() => Promise.resolve(DONE));
  await someTicks();
  await isolation.runClaim(() => Promise.resolve());
  outcome.end();
  expect(await attempt).toBe(DONE);
});
