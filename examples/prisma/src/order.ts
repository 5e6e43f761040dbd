import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { openTableQueue } from '@tablequeue/typeorm';
import { prismaTransaction } from '@tablequeue/typeorm/prisma';

import { PrismaClient } from './generated/client.js';
import { sendReceipt } from './jobs.js';

const [email = 'ada@example.com'] = process.argv.slice(2);
const prisma = new PrismaClient({ adapter: new PrismaMariaDb(process.env.DATABASE_URL!) });
const queue = await openTableQueue(process.env.DATABASE_URL!);

// The order and its job are committed together, or not at all.
const order = await prisma.$transaction(async (tx) => {
  const created = await tx.order.create({ data: { email } });
  await queue.enqueue(sendReceipt, { order: created.id, email }, { via: prismaTransaction(tx) });
  return created;
});
console.log(`stored order ${order.id}`);

await queue.dataSource.destroy();
await prisma.$disconnect();
