import 'reflect-metadata';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Module,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueHandler, TableQueueModule } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { PrometheusMetrics } from '@tablequeue/typeorm/prometheus';

import { DATABASE_TYPES, connectionOptions } from '../support/connection-options.js';
import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });

@Injectable()
class Mailer {
  @QueueHandler(mail)
  send(): void {}
}

@Injectable()
class OurScraper implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return headers.authorization === 'Bearer scrape';
  }
}

@Controller('metrics')
@UseGuards(OurScraper)
class MetricsController {
  constructor(private readonly metrics: PrometheusMetrics) {}

  @Get()
  async read(@Res({ passthrough: true }) response: { type(value: string): void }): Promise<string> {
    response.type(this.metrics.contentType);
    return this.metrics.text();
  }
}

@Module({
  providers: [{ provide: PrometheusMetrics, useFactory: () => new PrometheusMetrics() }],
  exports: [PrometheusMetrics],
})
class MetricsModule {}

describeEach(
  'metrics for Prometheus over HTTP',
  (engine) => {
    let app: INestApplication;
    afterAll(() => app.close());
    const database = useDatabase(engine);
    beforeAll(async () => {
      @Module({
        imports: [
          ScheduleModule.forRoot(),
          TypeOrmModule.forRoot(connectionOptions(engine, database.url)),
          MetricsModule,
          TableQueueModule.forRootAsync({
            databaseType: DATABASE_TYPES[engine],
            imports: [MetricsModule],
            inject: [PrometheusMetrics],
            useFactory: (instrumentation: PrometheusMetrics) => ({ instrumentation }),
          }),
        ],
        controllers: [MetricsController],
        providers: [Mailer],
      })
      class AppModule {}
      app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication({
        logger: false,
      });
      await app.listen(0, '127.0.0.1');
    });

    test("are served behind the application's own guard", async () => {
      await app.get(TableQueue).enqueue(mail);
      const url = `${await app.getUrl()}/metrics`;
      expect((await fetch(url)).status).toBe(403);
      const text = await waitFor('the attempt is counted', async () => {
        const response = await fetch(url, { headers: { authorization: 'Bearer scrape' } });
        expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
        const body = await response.text();
        return body.includes('tablequeue_attempts_total{') && body;
      });
      expect(text).toContain('tablequeue_attempts_total{queue="mail",job="mail",outcome="succeeded"} 1');
      expect(text).toMatch(/^tablequeue_workers{database=".+",prefix="tq_"} 1$/m);
    });
  },
  ['sqlite'],
);
