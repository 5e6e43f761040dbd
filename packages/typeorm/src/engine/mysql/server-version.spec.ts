import { expect, test } from '@jest/globals';

import { UnsupportedDatabaseError } from '../../errors/index.js';
import { assertServerVersion } from './server-version.js';

test.each([
  '8.0.1',
  '8.0.36-28.1',
  '8.4.3',
  '9.7.4-2',
  '10.6.0-MariaDB',
  '10.11.19-MariaDB-0+deb12u1-log',
  '5.5.5-10.6.12-MariaDB',
  '12.0.2-MariaDB',
])('%s is new enough', (version) => {
  expect(() => assertServerVersion(version)).not.toThrow();
});

test.each([
  ['5.6.24', 'MySQL 5.6.24'],
  ['5.7.44-log', 'MySQL 5.7.44'],
  ['8.0.0', 'MySQL 8.0.0'],
  ['10.5.23-MariaDB', 'MariaDB 10.5.23'],
  ['5.5.5-10.3.39-MariaDB', 'MariaDB 10.3.39'],
  ['8.0.11-TiDB-v8.5.6', 'accepts SKIP LOCKED and ignores it'],
  ['', 'unknown version ""'],
])('%s is refused', (version, found) => {
  expect(() => assertServerVersion(version)).toThrow(UnsupportedDatabaseError);
  expect(() => assertServerVersion(version)).toThrow(found);
});
