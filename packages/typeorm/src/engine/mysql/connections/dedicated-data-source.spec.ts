import { expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dedicatedDataSource } from './dedicated-data-source.js';

test('connects to the master only, with a pool that waits', () => {
  const master = { host: 'first', port: 3307, username: 'shop', password: 'secret', database: 'shop' };
  const application = new DataSource({
    type: 'mysql',
    replication: { master, slaves: [{ ...master, host: 'second' }] },
    extra: { waitForConnections: false, queueLimit: 1, resetOnRelease: true, connectTimeout: 500 },
  });
  const { options } = dedicatedDataSource(application, 5);
  expect(options).toMatchObject({ ...master, replication: undefined });
  expect(options.extra).toMatchObject({
    waitForConnections: true,
    queueLimit: 0,
    resetOnRelease: false,
    connectTimeout: 500,
    connectionLimit: 5,
  });
});
