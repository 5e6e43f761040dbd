/*
 * A worker process. `workers/workers.ts` starts it. In a deployment, a supervisor does.
 */
import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';
import { JobLogger } from '@tablequeue/nestjs';

import { ShopLogger } from './shop-logger.js';
import { ShopModule } from './shop.module.js';

// Ctrl+C reaches every process of a terminal. The main process stops this one with SIGTERM.
process.on('SIGINT', () => undefined);
// The main process has ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// Only warnings and errors, so that the address of the page stays visible.
const logger = new ShopLogger({ prefix: 'Worker', logLevels: ['warn', 'error', 'fatal'] });
const app = await NestFactory.createApplicationContext(ShopModule, { logger: new JobLogger(logger) });
// Without the hooks, the process would die with its jobs instead of stopping in order.
app.enableShutdownHooks(['SIGTERM']);
