import 'reflect-metadata';

import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';
import { databaseOptions } from './database/database.js';
import { Customers } from './demo/customers.js';
import { ShopLogger } from './shop-logger.js';
import { Workers } from './workers/workers.js';

const WORKERS = 2;

const logger = new Logger('Shop');
const port = Number(process.env.PORT ?? 3000);
// Browsers open connections in advance. Without the option, Node's server waits on close until the browser closes them.
const app = await NestFactory.create(AppModule, { logger: new ShopLogger(), forceCloseConnections: true });
// Without the hooks, this process would exit before its workers have stopped.
app.enableShutdownHooks();

try {
  await app.listen(port, '127.0.0.1');
} catch (error) {
  await app.close();
  logger.error(`Cannot listen on port ${port}: ${String(error)}. Set PORT to a free one.`);
  process.exit(1);
}

const address = await app.getUrl();
// The workers inherit the variables. This process simulates the receivers: see `payments/receiver.ts` and `alerts`.
process.env.RECEIVER_URL ??= `${address}/receiver/notices`;
process.env.ALERTS_URL ??= `${address}/alerts`;
app.get(Workers).scale(WORKERS);
if (process.env.DEMO !== 'off') {
  void app.get(Customers).placeOrders();
}
logger.log(`Database: ${databaseOptions().type}. Orders and their jobs: ${address}/orders`);
logger.log(`The dashboard: ${address}/queues/`);
logger.log(`The shop, and what to try: ${address}/  (Ctrl+C ends it)`);
