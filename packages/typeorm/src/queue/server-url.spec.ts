import { expect, test } from '@jest/globals';

import { readServerUrl } from './server-url.js';

test.each([
  ['mysql://ada:a%40b@db.example:3307/shop', { host: 'db.example', port: 3307, username: 'ada', password: 'a@b' }],
  ['mysql://ada:50%off@db.example/shop', { host: 'db.example', port: 3306, username: 'ada', password: '50%off' }],
  ['mysql://[::1]/shop', { host: '::1', port: 3306, username: '', password: '' }],
])('%s', (url, expected) => {
  expect(readServerUrl(new URL(url))).toEqual({ ...expected, database: 'shop' });
});
