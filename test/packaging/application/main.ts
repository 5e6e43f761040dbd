import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';

import { AppModule } from './app.module.js';
import { dashboardOf } from './dashboard.js';
import { checkEnhancers, checkStop } from './older-nest.js';
import { Orders } from './orders.js';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  const queue = app.get(TableQueue);
  const orders = app.get(Orders);

  const { id } = await orders.place('ada@example.com');
  console.log(await queue.waitFor(id));
  await orders.place('mary@example.com', false).catch((error: unknown) => console.log(String(error)));
  console.log(`jobs of the order that was not paid: ${(await queue.findByKey('mary@example.com')).length}`);
  console.log(await dashboardOf(app, id));

  await checkEnhancers(queue);
  await checkStop(queue, () => app.close());
  console.log('closed');
}

// Not awaited at the top: this file is also compiled to CommonJS.
void main();
