/*
 * A worker process. `workers/workers.ts` starts it; in a deployment a supervisor does.
 */
import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';

import { ShopLogger } from './shop-logger.js';
import { ShopModule } from './shop.module.js';

// Ctrl+C reaches every process of a terminal. The main process tells this one when to end.
process.on('SIGINT', () => undefined);
// The main process has gone, however that came about.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// What it works on is no news, and the address of the page is to stay in sight.
const logger = new ShopLogger({ prefix: 'Worker', logLevels: ['warn', 'error', 'fatal'] });
const app = await NestFactory.createApplicationContext(ShopModule, { logger });
// Without it the jobs that run when the process is told to end would only be noticed as those of a dead one.
app.enableShutdownHooks(['SIGTERM']);
