import 'reflect-metadata';

import { Test } from '@nestjs/testing';
import { TableQueue } from '@tablequeue/typeorm';

import { AppModule } from './app.module.js';
import { Orders } from './orders.js';

// What the globals of Jest and of Vitest have in common.
declare const test: (name: string, run: () => Promise<void>) => void;
declare const expect: (value: unknown) => { toBe(expected: unknown): void };

test('an order is confirmed by mail', async () => {
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  await module.init();
  const { id } = await module.get(Orders).place('ada@example.com');
  expect(await module.get(TableQueue).waitFor(id)).toBe('mail to ada@example.com for order 1, attempt 1');
  await module.close();
});
