import 'reflect-metadata';

import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';
import { DemoService } from './demo/demo.service.js';

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn', 'log'] });
// Without it the jobs that run when the process is told to end would run again elsewhere.
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');

const logger = new Logger('Shop');
logger.log(`Orders and their jobs: ${await app.getUrl()}/orders`);
if (process.env.DEMO !== 'off') {
  await app.get(DemoService).run();
}
