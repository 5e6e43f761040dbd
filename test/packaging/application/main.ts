import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';
import { TableQueue } from '@tablequeue/typeorm';

import { AppModule } from './app.module.js';
import { Orders } from './orders.js';

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['warn', 'error'] });
  app.enableShutdownHooks();
  const queue = app.get(TableQueue);
  const orders = app.get(Orders);

  const { id } = await orders.place('ada@example.com');
  console.log(await queue.waitFor(id));
  await orders.place('mary@example.com', false).catch((error: unknown) => console.log(String(error)));
  console.log(`jobs of the order that was not paid: ${(await queue.findByKey('mary@example.com')).length}`);

  await app.close();
  console.log('closed');
}

// Not awaited at the top: this file is also compiled to CommonJS.
void main();
