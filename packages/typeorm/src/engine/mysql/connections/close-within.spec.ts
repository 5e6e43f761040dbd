import { expect, test } from '@jest/globals';
import type { DataSource } from 'typeorm';

import { closeWithin } from './close-within.js';

test('closes the pool of the driver mysql, which keeps its connections in an array', async () => {
  let isClosed = false;
  const dataSource = {
    isInitialized: true,
    driver: { pool: { _allConnections: [{}] } },
    destroy: async () => void (isClosed = true),
  } as unknown as DataSource;
  await closeWithin(dataSource, 1_000);
  expect(isClosed).toBe(true);
});
