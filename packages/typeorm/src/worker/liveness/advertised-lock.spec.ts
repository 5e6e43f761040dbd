import { beforeEach, expect, test } from '@jest/globals';

import { AdvertisedLock } from './advertised-lock.js';

const A = { name: 'a', server: 1 };
const B = { name: 'b', server: 1 };

let row: AdvertisedLock;
beforeEach(() => {
  row = new AdvertisedLock();
  row.registered(A);
});

test('a lock is said when it has changed, and once that was answered no more', () => {
  expect(row.say(A).marks).toEqual({});
  const changed = row.say(B);
  expect(changed.marks).toEqual({ lock: B });
  changed.ended();
  changed.confirm();
  expect(row.say(B).marks).toEqual({});
  expect(row.say(undefined).marks).toEqual({ lock: null });
});

test('a lock is said again where nobody knows whether it was written', () => {
  row.say(B).ended();
  expect(row.say(B).marks).toEqual({ lock: B });
});

test('a lock is said again after an earlier renewal, which may write another one later, has come to its end', () => {
  const first = row.say(undefined);
  const second = row.say(B);
  second.ended();
  second.confirm();
  const third = row.say(B);
  expect(third.marks).toEqual({ lock: B });
  first.ended();
  third.ended();
  third.confirm();
  const fourth = row.say(B);
  expect(fourth.marks).toEqual({ lock: B });
  fourth.ended();
  fourth.confirm();
  expect(row.say(B).marks).toEqual({});
});

test('a worker is in doubt while its row may name a lock that it does not hold', () => {
  expect(row.isInDoubt(A)).toBe(false);
  expect(row.isInDoubt(undefined)).toBe(true);
  expect(row.isInDoubt(B)).toBe(true);
  row.registered(undefined);
  expect(row.isInDoubt(B)).toBe(false);
  // Sent, and not answered.
  row.say(B);
  expect(row.isInDoubt(B)).toBe(false);
  expect(row.isInDoubt(undefined)).toBe(true);
});
