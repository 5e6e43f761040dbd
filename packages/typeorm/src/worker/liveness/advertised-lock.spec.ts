import { beforeEach, expect, test } from '@jest/globals';

import { AdvertisedLock } from './advertised-lock.js';

const A = { name: 'a', server: 1 };
const B = { name: 'b', server: 1 };

let row: AdvertisedLock;
beforeEach(() => {
  row = new AdvertisedLock();
  row.onRegistered(A);
});

test('a changed lock is written until a renewal is confirmed', () => {
  expect(row.advertise(A).columns).toEqual({});
  const changed = row.advertise(B);
  expect(changed.columns).toEqual({ lock: B });
  changed.ended();
  changed.confirm();
  expect(row.advertise(B).columns).toEqual({});
  expect(row.advertise(undefined).columns).toEqual({ lock: null });
});

test('a lock is written again while the row is uncertain', () => {
  row.advertise(B).ended();
  expect(row.advertise(B).columns).toEqual({ lock: B });
});

test('a lock is written again after an earlier renewal that may write another one later has ended', () => {
  const first = row.advertise(undefined);
  const second = row.advertise(B);
  second.ended();
  second.confirm();
  const third = row.advertise(B);
  expect(third.columns).toEqual({ lock: B });
  first.ended();
  third.ended();
  third.confirm();
  const fourth = row.advertise(B);
  expect(fourth.columns).toEqual({ lock: B });
  fourth.ended();
  fourth.confirm();
  expect(row.advertise(B).columns).toEqual({});
});

test('the row may differ while it may name a lock that the worker does not hold', () => {
  expect(row.mayDiffer(A)).toBe(false);
  expect(row.mayDiffer(undefined)).toBe(true);
  expect(row.mayDiffer(B)).toBe(true);
  row.onRegistered(undefined);
  expect(row.mayDiffer(B)).toBe(false);
  // Sent, and not answered.
  row.advertise(B);
  expect(row.mayDiffer(B)).toBe(false);
  expect(row.mayDiffer(undefined)).toBe(true);
});
