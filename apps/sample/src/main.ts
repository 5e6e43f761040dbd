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
// Browsers open connections ahead of what they may ask for. For one on which nothing was asked Node's server, when it is
// closed, waits until the browser gives it up.
const app = await NestFactory.create(AppModule, { logger: new ShopLogger(), forceCloseConnections: true });
// Without it the workers would only notice that this process has gone, and nobody would wait for them.
app.enableShutdownHooks();

try {
  await app.listen(port, '127.0.0.1');
} catch (error) {
  await app.close();
  logger.error(`Cannot listen on port ${port}: ${String(error)}. Set PORT to a free one.`);
  process.exit(1);
}

const address = await app.getUrl();
// The workers inherit it. The seller's system stands in this process, to have one at all: see `payments/receiver.ts`.
process.env.RECEIVER_URL ??= `${address}/receiver/notices`;
app.get(Workers).scale(WORKERS);
if (process.env.DEMO !== 'off') {
  void app.get(Customers).comeAndGo();
}
logger.log(`Database: ${databaseOptions().type}. Orders and their jobs: ${address}/orders`);
logger.log(`The dashboard: ${address}/queues/`);
logger.log(`The shop, and what to try: ${address}/  (Ctrl+C ends it)`);
