import { setImmediate } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { ClaimMutex } from './claim-mutex.js';
import { PoisonIsolation } from './poison-isolation.js';
import type { AttemptResult } from '../completing/outcome.js';

const DONE: AttemptResult = { kind: 'succeeded', keep: 'none' };

/** Something that ends when the test says so. */
function held() {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end };
}

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await setImmediate();
  }
}

test('an attempt begins when the outcome of the one before is written down', async () => {
  const chances = new PoisonIsolation(new ClaimMutex());
  const outcome = held();
  expect(await chances.run(() => Promise.resolve(DONE))).toBe(DONE);
  chances.settling(outcome.promise);
  let hasBegun = false;
  const second = chances.run(() => {
    hasBegun = true;
    return Promise.resolve(DONE);
  });
  await someTurns();
  expect(hasBegun).toBe(false);
  outcome.end();
  expect(await second).toBe(DONE);
});

test('an attempt begins when the claim under way has come, and those it has brought are put off', async () => {
  const gate = new ClaimMutex();
  const chances = new PoisonIsolation(gate);
  const [claim, outcome] = [held(), held()];
  void gate.pass(() => claim.promise);
  let hasBegun = false;
  const attempt = chances.run(() => {
    hasBegun = true;
    return Promise.resolve(DONE);
  });
  await someTurns();
  expect(hasBegun).toBe(false);
  claim.end();
  expect(await chances.run(() => Promise.resolve(DONE))).toMatchObject({ kind: 'snoozed' });
  chances.settling(outcome.promise);
  await someTurns();
  expect(hasBegun).toBe(false);
  outcome.end();
  expect(await attempt).toBe(DONE);
});

test('while an attempt begins nothing is claimed, and while it goes on claims are', async () => {
  const gate = new ClaimMutex();
  const chances = new PoisonIsolation(gate);
  const handler = held();
  const attempt = chances.run(() => handler.promise.then(() => DONE));
  await someTurns();
  let hasClaimed = false;
  const claim = gate.pass(() => {
    hasClaimed = true;
    return Promise.resolve();
  });
  await someTurns();
  expect(hasClaimed).toBe(false);
  await claim;
  handler.end();
  expect(await attempt).toBe(DONE);
});

test('an outcome that takes long keeps no claim back', async () => {
  const gate = new ClaimMutex();
  const chances = new PoisonIsolation(gate);
  const outcome = held();
  chances.settling(outcome.promise);
  const attempt = chances.run(() => Promise.resolve(DONE));
  await someTurns();
  await gate.pass(() => Promise.resolve());
  outcome.end();
  expect(await attempt).toBe(DONE);
});
