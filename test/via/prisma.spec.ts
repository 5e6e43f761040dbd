import { rm } from 'node:fs/promises';

import { afterAll } from '@jest/globals';
import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { prismaTransaction } from '@tablequeue/typeorm/prisma';

import { describeClient } from './client.suite.js';
import { generatePrismaClient } from './prisma-client.js';

// Not in a hook: it takes many seconds on a busy machine.
const { PrismaClient, folder } = await generatePrismaClient();
afterAll(() => rm(folder, { recursive: true }));

for (const useTextProtocol of [false, true]) {
  describeClient(
    {
      name: 'Prisma',
      title: useTextProtocol ? 'Prisma, text protocol' : 'Prisma',
      reportsEnd: false,
      connect({ url }) {
        const { hostname, port, username, password, pathname } = new URL(url);
        const prisma = new PrismaClient({
          adapter: new PrismaMariaDb(
            {
              host: hostname,
              port: Number(port),
              user: username,
              password,
              database: pathname.slice(1),
              connectionLimit: 2,
            },
            { useTextProtocol },
          ),
        });
        return {
          transaction: (work) =>
            prisma.$transaction(
              (tx) => work({ via: () => prismaTransaction(tx), run: async (sql) => tx.$executeRawUnsafe(sql) }),
              { timeout: 60_000 },
            ),
          close: () => prisma.$disconnect(),
        };
      },
    },
    ['mariadb', 'mariadb118', 'mysql'],
  );
}
