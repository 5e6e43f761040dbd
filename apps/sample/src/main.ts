import 'reflect-metadata';

import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';
import { databaseOptions } from './database/database.js';
import { DemoService } from './demo/demo.service.js';
import { ShopLogger } from './shop-logger.js';

const logger = new Logger('Shop');
const port = Number(process.env.PORT ?? 3000);
const app = await NestFactory.create(AppModule, { logger: new ShopLogger() });
// Without it the jobs that run when the process is told to end would run again elsewhere.
app.enableShutdownHooks();

try {
  await app.listen(port, '127.0.0.1');
} catch (error) {
  // The worker has begun to work already: it hands back what it has.
  await app.close();
  logger.error(`Cannot listen on port ${port}: ${String(error)}. Set PORT to a free one.`);
  process.exit(1);
}

logger.log(`Database: ${databaseOptions().type}. Orders and their jobs: ${await app.getUrl()}/orders`);
if (process.env.DEMO !== 'off') {
  await app.get(DemoService).run();
}
