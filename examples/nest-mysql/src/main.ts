import { NestFactory } from '@nestjs/core';

import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks(); // on SIGTERM, running jobs can finish
await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
