import { type TableQueue, openTableQueue } from '@tablequeue/typeorm';
import { type MySql2Database, drizzle } from 'drizzle-orm/mysql2';
import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core';

export const orders = mysqlTable('order', {
  id: int().primaryKey().autoincrement(),
  email: varchar({ length: 200 }).notNull(),
});

interface Shop {
  readonly database: MySql2Database;
  readonly queue: TableQueue;
}

const opened = globalThis as { shop?: Promise<Shop> };

/** Opens the database and the queue once in a process. */
export function openShop(): Promise<Shop> {
  opened.shop ??= connect();
  return opened.shop;
}

async function connect(): Promise<Shop> {
  try {
    const url = process.env.DATABASE_URL!;
    return { database: drizzle(url), queue: await openTableQueue(url) };
  } catch (error) {
    // The next request tries again.
    delete opened.shop;
    throw error;
  }
}
