import 'reflect-metadata';

import { Test } from '@nestjs/testing';
import { TableQueue } from '@tablequeue/typeorm';

import { AppModule } from './app.module.js';
import { dashboardOf } from './dashboard.js';
import { Orders } from './orders.js';

// What the globals of Jest and of Vitest have in common.
declare const test: (name: string, run: () => Promise<void>, timeout: number) => void;
declare const expect: (value: unknown) => { toBe(expected: unknown): void };

// A busy machine takes long for the first start.
const TIMEOUT = 60_000;

test(
  'an order is confirmed by mail, and the dashboard shows its job',
  async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = module.createNestApplication({ logger: ['error'] });
    await app.listen(0, '127.0.0.1');
    const { id } = await app.get(Orders).place('ada@example.com');
    expect(await app.get(TableQueue).waitFor(id)).toBe('mail to ada@example.com for order 1, attempt 2');
    expect(await dashboardOf(app, id)).toBe('dashboard "Tablequeue": order.confirm succeeded, script loaded');
    await app.close();
  },
  TIMEOUT,
);
