import { expect, test } from '@jest/globals';
import type { QueryRunner } from 'typeorm';

import { connectionOf } from './connection.js';

test('refuses a connection of the driver mysql', async () => {
  const queryRunner = { connect: async () => ({ query: () => undefined }) } as unknown as QueryRunner;
  await expect(connectionOf(queryRunner)).rejects.toThrow(
    "Tablequeue cannot use a connection with the driver mysql: it cannot prepare statements. Install mysql2 and set \
connectorPackage: 'mysql2' in the options of the data source.",
  );
});
