import { expect, test } from '@jest/globals';

import { UnsupportedDatabaseError } from '../../../errors/index.js';
import {
  assertServerVersion,
  hasSnapshotIsolation,
  hasTransactionIsolation,
  isOlderMysql,
  supportsSkipLocked,
} from './server-version.js';

test.each([
  '5.6.24',
  '5.7.44-log',
  '8.0.0',
  '8.0.1',
  '8.0.36-28.1',
  '8.4.3',
  '9.7.4-2',
  '10.5.23-MariaDB',
  '10.6.0-MariaDB',
  '10.11.19-MariaDB-0+deb12u1-log',
  '5.5.5-10.6.12-MariaDB',
  '12.0.2-MariaDB',
])('%s is new enough', (version) => {
  expect(() => assertServerVersion(version)).not.toThrow();
});

test.each([
  ['5.5.62', 'MySQL 5.5.62'],
  ['5.6.23', 'MySQL 5.6.23'],
  ['10.4.34-MariaDB', 'MariaDB 10.4.34'],
  ['5.5.5-10.3.39-MariaDB', 'MariaDB 10.3.39'],
  ['8.0.11-TiDB-v8.5.6', 'accepts SKIP LOCKED and ignores it'],
  ['', 'unknown version ""'],
])('%s is refused', (version, found) => {
  expect(() => assertServerVersion(version)).toThrow(UnsupportedDatabaseError);
  expect(() => assertServerVersion(version)).toThrow(found);
});

test.each([
  ['5.6.24', false],
  ['5.7.44', false],
  ['8.0.0', false],
  ['8.0.1', true],
  ['9.7.4', true],
  ['10.5.23', false],
  ['10.6.0', true],
  ['12.0.2', true],
  // The prefix of a MariaDB version behind a proxy: old ones of these are rare.
  ['5.5.5', true],
  [undefined, true],
])('%s accepts SKIP LOCKED: %s', (version, supports) => {
  expect(supportsSkipLocked(version)).toBe(supports);
});

test.each([
  ['5.6.24', true],
  ['5.7.5', true],
  ['5.7.6', false],
  ['8.4.3', false],
  ['10.5.23', false],
  ['5.5.5', false],
])('%s has its status in the older table: %s', (version, isOlder) => {
  expect(isOlderMysql(version)).toBe(isOlder);
});

test.each([
  ['9.7.4', false],
  ['10.5.29', false],
  ['10.6.17', false],
  ['10.6.18', true],
  ['10.7.8', false],
  ['10.11.7', false],
  ['10.11.18', true],
  ['11.2.6', false],
  ['11.4.2', true],
  ['11.8.9-MariaDB-0+deb13u1 from Debian', true],
  ['12.3.1', true],
  [undefined, false],
])('%s has innodb_snapshot_isolation: %s', (version, has) => {
  expect(hasSnapshotIsolation(version)).toBe(has);
});

test.each([
  ['5.6.24', false],
  ['5.7.19', false],
  ['5.7.20-log', true],
  ['8.0.36', true],
  ['9.7.4', true],
  ['10.11.18', false],
  ['11.0.6', false],
  ['11.1.1', true],
  ['11.8.9-MariaDB-0+deb13u1 from Debian', true],
])('%s has transaction_isolation: %s', (version, has) => {
  expect(hasTransactionIsolation(version)).toBe(has);
});
